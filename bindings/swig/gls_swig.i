/* What all target languages share: which classes there are, and who owns what is returned. Included
   by the module file of each, after its typemaps. */
%ignore gls::facade::Progress; /* each language passes functions in its own way */

%nodefaultctor gls::facade::Tensor;
%nodefaultctor gls::facade::LogLine;
%nodefaultctor gls::facade::ColumnInfo;
%nodefaultctor gls::facade::EdgeEnds;
%nodefaultctor gls::facade::LinkPart;
%nodefaultctor gls::facade::SaintNorms;
%nodefaultctor gls::facade::WholeIds;
%nodefaultctor gls::facade::Partition;
%nodefaultctor gls::facade::Dataset;
%nodefaultctor gls::facade::Batch;
%nodefaultctor gls::facade::LoaderStats;
%nodefaultctor gls::facade::FeedInfo;
%nodefaultctor gls::facade::ServerInfo;
%nodefaultctor gls::facade::Server;
%nodefaultctor gls::facade::TransformTask;
%immutable;

%newobject gls::facade::Tensor::map_npy;
%newobject gls::facade::Tensor::row;
%newobject gls::facade::Tensor::copy;
%newobject gls::facade::Tensor::stack;
%newobject gls::facade::LogQueue::next;
%newobject gls::facade::Dataset::open;
%newobject gls::facade::Dataset::node_column;
%newobject gls::facade::Dataset::edge_column;
%newobject gls::facade::Dataset::tensor;
%newobject gls::facade::Dataset::find_edges;
%newobject gls::facade::Dataset::has_edges;
%newobject gls::facade::Dataset::degrees;
%newobject gls::facade::EdgeEnds::source;
%newobject gls::facade::EdgeEnds::target;
%newobject gls::facade::Dataset::split_links;
%newobject gls::facade::LinkPart::links;
%newobject gls::facade::LinkPart::exclude;
%newobject gls::facade::SplitShares::split;
%newobject gls::facade::Dataset::whole_ids;
%newobject gls::facade::WholeIds::ids;
%newobject gls::facade::Partition::open;
%newobject gls::facade::Partition::owners;
%newobject gls::facade::Builder::build;
%newobject gls::facade::Quantization::quantize;
%newobject gls::facade::Batch::tensor;
%newobject gls::facade::Batch::block_tensor;
%newobject gls::facade::Sampler::sample;
%newobject gls::facade::Loader::take;
%newobject gls::facade::Loader::sample;
%newobject gls::facade::Loader::stats;
%newobject gls::facade::Loader::dataset;
%newobject gls::facade::Feed::info;
%newobject gls::facade::Attachment::attach;
%newobject gls::facade::ServerOptions::start;
%newobject gls::facade::Server::info;
%newobject gls::facade::TransformQueue::next;
%newobject gls::facade::TransformTask::batch;
%newobject gls::facade::Loader::saint_norms;
%newobject gls::facade::SaintNorms::node;
%newobject gls::facade::SaintNorms::edge;

%include "gls_swig_tensor.hpp"
%include "gls_swig_context.hpp"
%include "gls_swig_partition.hpp"
%include "gls_swig_dataset.hpp"
%include "gls_swig_sample.hpp"
%include "gls_swig_transform.hpp"
%include "gls_swig_loader.hpp"
%include "gls_swig_feed.hpp"
%include "gls_swig_server.hpp"
