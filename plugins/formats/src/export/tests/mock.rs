//! A dataset in memory.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatchIterator;
use arrow_schema::{ArrowError, DataType, Field, Schema};

use crate::arrays::rows::ArrayRows;
use crate::arrays::{Array, Bytes, DType};
use crate::boundary::builder::Reader;
use crate::boundary::dataset::{Codebook, ColumnInfo, Dataset, EdgeTypeInfo, NodeTypeInfo, Which};
use crate::failure::{Code, Failure};
use crate::recipe::Role;

#[derive(Default)]
pub struct Mock {
    nodes: Vec<NodeTypeInfo>,
    edges: Vec<EdgeTypeInfo>,
    arrays: HashMap<(u8, String, String), Array>,
    keys: HashMap<String, Vec<i64>>,
    /// Sources and targets by the edge type.
    pub ends: HashMap<String, Vec<(i64, i64)>>,
    /// A file was cut.
    pub is_cut: bool,
    /// What the streams of rows end with.
    pub row_error: Option<&'static str>,
}

pub fn array(dtype: DType, shape: &[i64], bytes: Vec<u8>) -> Array {
    Array::new(dtype, shape.to_vec(), Bytes::of_vec(bytes)).unwrap()
}

pub fn i64s(numbers: &[i64]) -> Array {
    Array::of_i64(numbers).unwrap()
}

pub fn f32s(shape: &[i64], numbers: &[f32]) -> Array {
    let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes());
    array(DType::F32, shape, bytes.collect())
}

impl Mock {
    pub fn add_nodes(&mut self, name: &str, count: i64, keys: Option<&[i64]>) {
        self.nodes.push(NodeTypeInfo {
            name: name.into(),
            count,
            has_keys: keys.is_some(),
            columns: Vec::new(),
            sets: Vec::new(),
        });
        if let Some(keys) = keys {
            self.keys.insert(name.into(), keys.to_vec());
        }
    }

    /// Edges, stored by their targets with their ids, or by their sources.
    pub fn add_edges(&mut self, name: &str, ends: &[(i64, i64)], has_csc: bool) {
        let parts: Vec<&str> = name.split("__").collect();
        let near = |&(source, target): &(i64, i64)| if has_csc { target } else { source };
        let of_type = if has_csc { parts[2] } else { parts[0] };
        let rows = self.node(of_type).count;
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by_key(|&id| near(&ends[id]));
        let begin = |row| ends.iter().filter(|ends| near(ends) < row).count() as i64;
        let indptr: Vec<i64> = (0..=rows).map(begin).collect();
        let far = |&id: &usize| if has_csc { ends[id].0 } else { ends[id].1 };
        let indices: Vec<i64> = order.iter().map(far).collect();
        let ids: Vec<i64> = order.iter().map(|&id| id as i64).collect();
        let arrays = if has_csc {
            [Which::CscIndptr, Which::CscIndices, Which::CscEdgeIds]
        } else {
            [Which::CsrIndptr, Which::CsrIndices, Which::CsrEdgeIds]
        };
        let are_positions = ids.iter().enumerate().all(|(at, &id)| at as i64 == id);
        for (which, numbers) in arrays.into_iter().zip([indptr, indices, ids]) {
            if !(are_positions && matches!(which, Which::CscEdgeIds | Which::CsrEdgeIds)) {
                self.put(which, name, "", i64s(&numbers));
            }
        }
        self.ends.insert(name.into(), ends.to_vec());
        self.edges.push(EdgeTypeInfo {
            name: name.into(),
            source: parts[0].into(),
            relation: parts[1].into(),
            target: parts[2].into(),
            count: ends.len() as i64,
            has_csc,
            columns: Vec::new(),
        });
    }

    pub fn put(&mut self, which: Which, of_type: &str, name: &str, array: Array) {
        let key = (which as u8, of_type.into(), name.into());
        self.arrays.insert(key, array);
    }

    pub fn column(&mut self, of_type: &str, name: &str, role: Role, array: Array) {
        let info = ColumnInfo {
            name: name.into(),
            role,
            dtype: array.dtype,
            shape: array.shape.clone(),
            codes: None,
            logical_type: None,
        };
        self.add(of_type, info, array);
    }

    /// A column of codes.
    pub fn codes(&mut self, of_type: &str, name: &str, width: i64, codes: Codebook, array: Array) {
        let info = ColumnInfo {
            name: name.into(),
            role: Role::Feature,
            dtype: DType::F32,
            shape: vec![array.rows(), width],
            codes: Some(codes),
            logical_type: None,
        };
        self.add(of_type, info, array);
    }

    fn add(&mut self, of_type: &str, info: ColumnInfo, array: Array) {
        let name = info.name.clone();
        if let Some(node) = self.nodes.iter_mut().find(|node| node.name == of_type) {
            node.columns.push(info);
            self.put(Which::NodeColumn, of_type, &name, array);
        } else {
            let edge = self.edges.iter_mut().find(|edge| edge.name == of_type);
            edge.unwrap().columns.push(info);
            self.put(Which::EdgeColumn, of_type, &name, array);
        }
    }

    pub fn set(&mut self, of_type: &str, name: &str, ids: &[i64]) {
        let node = self.nodes.iter_mut().find(|node| node.name == of_type);
        node.unwrap().sets.push(name.into());
        self.put(Which::IdSet, of_type, name, i64s(ids));
    }

    fn node(&self, name: &str) -> &NodeTypeInfo {
        self.nodes.iter().find(|node| node.name == name).unwrap()
    }

    /// What rows and edges call a node.
    fn key(&self, of_type: &str, id: i64) -> i64 {
        self.keys.get(of_type).map_or(id, |keys| keys[id as usize])
    }

    /// A column as numbers.
    pub fn numbers(&self, which: Which, of_type: &str, info: &ColumnInfo) -> Array {
        let found = self.array(which, of_type, &info.name).unwrap();
        let Some(codes) = &info.codes else {
            return found;
        };
        assert_eq!(codes.bits, 2); // so each byte has 4
        let width = info.shape[1] as usize;
        let rows = found.bytes().chunks(found.shape[1] as usize);
        let numbers: Vec<f32> = rows
            .flat_map(|row| {
                let code = |at: usize| row[at / 4] >> (6 - 2 * (at % 4)) & 3;
                let numbers = &codes.numbers;
                let all: Vec<f32> = (0..width)
                    .map(|at| numbers[usize::from(code(at))])
                    .collect();
                all
            })
            .collect();
        f32s(&info.shape, &numbers)
    }
}

impl Dataset for Mock {
    fn node_types(&self) -> &[NodeTypeInfo] {
        &self.nodes
    }

    fn edge_types(&self) -> &[EdgeTypeInfo] {
        &self.edges
    }

    fn array(&self, which: Which, of_type: &str, name: &str) -> Result<Array, Failure> {
        let key = (which as u8, of_type.to_owned(), name.to_owned());
        let found = self.arrays.get(&key).cloned();
        found.ok_or_else(|| Failure::new(Code::NotFound, "no such array"))
    }

    fn nodes(&self, name: &str) -> Result<Reader, Failure> {
        let node = self.node(name);
        let keys: Vec<i64> = (0..node.count).map(|id| self.key(name, id)).collect();
        let key = if node.has_keys { "_key" } else { "_id" };
        let mut fields = vec![(key.to_owned(), i64s(&keys))];
        for column in &node.columns {
            let rows = self.numbers(Which::NodeColumn, name, column);
            fields.push((column.name.clone(), rows));
        }
        Ok(Box::new(ArrayRows::new(fields)?))
    }

    fn edges(&self, name: &str) -> Result<Reader, Failure> {
        let edge = self.edges.iter().find(|edge| edge.name == name).unwrap();
        let ends = self.ends[name].iter();
        let (sources, targets): (Vec<i64>, Vec<i64>) = ends
            .map(|ends| {
                (
                    self.key(&edge.source, ends.0),
                    self.key(&edge.target, ends.1),
                )
            })
            .unzip();
        if let Some(words) = self.row_error {
            let error = ArrowError::CDataInterface(words.to_owned());
            let fields =
                ["_source", "_target"].map(|name| Field::new(name, DataType::Int64, false));
            let schema = Arc::new(Schema::new(fields.to_vec()));
            return Ok(Box::new(RecordBatchIterator::new([Err(error)], schema)));
        }
        let mut fields = vec![
            ("_source".to_owned(), i64s(&sources)),
            ("_target".to_owned(), i64s(&targets)),
        ];
        for column in &edge.columns {
            let rows = self.numbers(Which::EdgeColumn, name, column);
            fields.push((column.name.clone(), rows));
        }
        Ok(Box::new(ArrayRows::new(fields)?))
    }

    fn check_files(&self) -> Result<(), Failure> {
        match self.is_cut {
            false => Ok(()),
            true => Err(Failure::new(Code::Corrupt, "a file was cut")),
        }
    }
}
