//! The classes and functions that pickles may name. To be on the list means to be a word; no reader
//! calls anything.

use crate::arrays::DType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Of Python: `dict`, and what is used as one.
    Dict,
    /// `copyreg._reconstructor` and `copyreg.__newobj__`, whose first argument is a class.
    Reconstructor,
    /// `_codecs.encode`: old protocols write bytes as text.
    Encode,
    /// Of torch.
    RebuildTensor,
    RebuildTensorWithDType,
    /// Its first argument is the tensor.
    RebuildParameter,
    RebuildFromType,
    RebuildSparse,
    LoadFromBytes,
    Size,
    /// None: of numbers that GLS does not have, or of bytes.
    Storage(Option<DType>),
    DType(Option<DType>),
    /// Of NumPy.
    Reconstruct,
    Scalar,
    FromBuffer,
    NumpyDType,
    /// Of torch_geometric.
    Data,
    HeteroData,
    Store,
    SparseTensor,
    /// Of Python: (begin, end, step).
    Slice,
    /// Of pandas: a table, its blocks, a block of columns, and a list of names.
    Frame,
    Blocks,
    Block,
    Index,
    /// Names in an array of NumPy, and in one of Arrow with its buffers.
    Backed,
    ArrowText,
    ArrowArray,
    ArrowBuffer,
    /// Of graphlearn-torch.
    PartitionBook,
    /// An object of C++ that torch saves, whose state is (values, name of the class).
    Script,
    /// Of GraphBolt, around one of these.
    FusedGraph,
    /// Known, and of no meaning for numbers.
    Other,
}

const NUMPY: [&str; 2] = ["numpy.core", "numpy._core"];

const KNOWN: &[(&str, &str, Class)] = &[
    ("collections", "OrderedDict", Class::Dict),
    ("collections", "defaultdict", Class::Dict),
    ("builtins", "dict", Class::Dict),
    ("builtins", "list", Class::Other),
    ("builtins", "tuple", Class::Other),
    ("builtins", "set", Class::Other),
    ("builtins", "frozenset", Class::Other),
    ("builtins", "object", Class::Other),
    ("builtins", "int", Class::Other),
    ("builtins", "float", Class::Other),
    ("builtins", "bool", Class::Other),
    ("builtins", "str", Class::Other),
    ("builtins", "bytes", Class::Other),
    ("builtins", "bytearray", Class::Other),
    ("builtins", "complex", Class::Other),
    ("builtins", "slice", Class::Slice),
    ("copyreg", "_reconstructor", Class::Reconstructor),
    ("copyreg", "__newobj__", Class::Reconstructor),
    ("_codecs", "encode", Class::Encode),
    ("torch._utils", "_rebuild_tensor", Class::RebuildTensor),
    ("torch._utils", "_rebuild_tensor_v2", Class::RebuildTensor),
    (
        "torch._utils",
        "_rebuild_tensor_v3",
        Class::RebuildTensorWithDType,
    ),
    (
        "torch._utils",
        "_rebuild_parameter",
        Class::RebuildParameter,
    ),
    (
        "torch._utils",
        "_rebuild_parameter_with_state",
        Class::RebuildParameter,
    ),
    (
        "torch._tensor",
        "_rebuild_from_type_v2",
        Class::RebuildFromType,
    ),
    (
        "torch._utils",
        "_rebuild_sparse_tensor",
        Class::RebuildSparse,
    ),
    ("torch.serialization", "_get_layout", Class::Other),
    ("torch.storage", "_load_from_bytes", Class::LoadFromBytes),
    ("torch", "Size", Class::Size),
    ("torch", "device", Class::Other),
    ("torch", "Tensor", Class::Other),
    ("torch", "ScriptObject", Class::Script),
    (
        "dgl.graphbolt.impl.fused_csc_sampling_graph",
        "FusedCSCSamplingGraph",
        Class::FusedGraph,
    ),
    ("torch.nn.parameter", "Parameter", Class::Other),
    ("numpy", "ndarray", Class::Other),
    ("numpy", "dtype", Class::NumpyDType),
    ("pandas.core.frame", "DataFrame", Class::Frame),
    ("pandas", "DataFrame", Class::Frame),
    ("pandas", "Index", Class::Other),
    ("pandas", "RangeIndex", Class::Other),
    ("pandas", "StringDtype", Class::Other),
    ("pandas.arrays", "StringArray", Class::Other),
    (
        "pandas._libs.arrays",
        "__pyx_unpickle_NDArrayBacked",
        Class::Backed,
    ),
    ("pandas.arrays", "ArrowStringArray", Class::ArrowText),
    ("pyarrow.lib", "_restore_array", Class::ArrowArray),
    ("pyarrow.lib", "type_for_alias", Class::Other),
    ("pyarrow.lib", "py_buffer", Class::ArrowBuffer),
    (
        "pandas.core.internals.managers",
        "BlockManager",
        Class::Blocks,
    ),
    ("pandas._libs.internals", "_unpickle_block", Class::Block),
    ("pandas.core.indexes.base", "_new_Index", Class::Index),
    ("pandas.core.indexes.base", "Index", Class::Other),
    ("pandas.core.indexes.range", "RangeIndex", Class::Other),
    ("torch_geometric.data.data", "Data", Class::Data),
    (
        "torch_geometric.data.hetero_data",
        "HeteroData",
        Class::HeteroData,
    ),
    ("torch_geometric.data.data", "DataEdgeAttr", Class::Other),
    ("torch_geometric.data.data", "DataTensorAttr", Class::Other),
    ("torch_geometric.data.graph_store", "EdgeAttr", Class::Other),
    (
        "torch_geometric.data.graph_store",
        "EdgeLayout",
        Class::Other,
    ),
    (
        "torch_geometric.data.feature_store",
        "TensorAttr",
        Class::Other,
    ),
    ("torch_geometric.data.storage", "BaseStorage", Class::Store),
    (
        "torch_geometric.data.storage",
        "GlobalStorage",
        Class::Store,
    ),
    ("torch_geometric.data.storage", "NodeStorage", Class::Store),
    ("torch_geometric.data.storage", "EdgeStorage", Class::Store),
    (
        "torch_geometric.data.temporal",
        "TemporalData",
        Class::Other,
    ),
    ("torch_sparse.tensor", "SparseTensor", Class::SparseTensor),
    ("torch_sparse.storage", "SparseStorage", Class::Other),
    (
        "graphlearn_torch.partition.partition_book",
        "GLTPartitionBook",
        Class::Other,
    ),
    (
        "graphlearn_torch.partition.partition_book",
        "RangePartitionBook",
        Class::PartitionBook,
    ),
    (
        "graphlearn_torch.partition.partition_book",
        "OffsetId2Index",
        Class::Other,
    ),
];

/// None: not on the list.
pub fn class_of(module: &str, name: &str) -> Option<Class> {
    let module = match module {
        "__builtin__" => "builtins",
        "copy_reg" => "copyreg",
        other => other,
    };
    let entry = |known: &&(&str, &str, Class)| (known.0, known.1) == (module, name);
    if let Some(known) = KNOWN.iter().find(entry) {
        return Some(known.2);
    }
    let part_of_numpy = NUMPY
        .iter()
        .find_map(|numpy| module.strip_prefix(numpy)?.strip_prefix('.'));
    match (part_of_numpy, name) {
        (Some("multiarray"), "_reconstruct") => return Some(Class::Reconstruct),
        (Some("multiarray"), "scalar") => return Some(Class::Scalar),
        (Some("numeric"), "_frombuffer") => return Some(Class::FromBuffer),
        _ => {}
    }
    let of_torch = matches!(module, "torch" | "torch.cuda" | "torch.storage");
    if of_torch && is_storage(name) {
        return Some(Class::Storage(DType::of_torch_storage(name)));
    }
    if module == "torch" {
        return of_dtype(name);
    }
    None
}

/// "LongStorage", and names of the same form.
fn is_storage(name: &str) -> bool {
    name.strip_suffix("Storage").is_some_and(|kind| {
        kind.starts_with(|first: char| first.is_ascii_uppercase())
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn of_dtype(name: &str) -> Option<Class> {
    const OTHERS: [&str; 11] = [
        "complex32",
        "complex64",
        "complex128",
        "qint8",
        "quint8",
        "qint32",
        "float8_e4m3fn",
        "float8_e5m2",
        "strided",
        "sparse_coo",
        "sparse_csr",
    ];
    let known = DType::of_name(name);
    (known.is_some() || OTHERS.contains(&name)).then_some(Class::DType(known))
}
