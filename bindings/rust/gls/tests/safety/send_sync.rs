//! Which types may be sent to and shared by threads: as the marks of gls.h say. Compiling this is
//! the test.

use gls::*;

fn send<T: Send>() {}
fn sync<T: Sync>() {}

trait AmbiguousIfSync<A> {
    fn check() {}
}
impl<T: ?Sized> AmbiguousIfSync<()> for T {}
#[allow(dead_code)]
struct IsSync;
impl<T: ?Sized + Sync> AmbiguousIfSync<IsSync> for T {}

#[test]
fn as_the_header_says() {
    send::<Context>();
    sync::<Context>();
    send::<Dataset>();
    sync::<Dataset>();
    send::<Partition>();
    sync::<Partition>();
    send::<Server>();
    sync::<Server>();
    send::<Group>();
    sync::<Group>(); // operations take turns
    send::<Future<Bytes>>();
    sync::<Future<Bytes>>();
    send::<Call>();
    sync::<Call>();
    send::<Store>();
    sync::<Store>();
    send::<FetchRows>();
    sync::<FetchRows>(); // rows are written through `&mut`
    send::<FetchNeighbors>();
    sync::<FetchNeighbors>();
    send::<Table>();
    sync::<Table>(); // steps, saving and loading need `&mut`
    send::<Sampler>();
    sync::<Sampler>();
    send::<Batch>();
    sync::<Batch>();
    send::<Tensor>();
    sync::<Tensor>();
    send::<TensorView<'_>>();
    sync::<TensorView<'_>>();
    send::<NeighborLoader>();
    sync::<NeighborLoader>(); // what changes it needs `&mut`
    send::<CancelHandle>();
    sync::<CancelHandle>();
    send::<Error>();
    sync::<Error>();
    send::<SamplerBuilder<'_>>();
    send::<LoaderBuilder<'_>>();
    send::<SampleRequest<'_>>();
    #[cfg(feature = "async")]
    send::<BatchStream>();
    send::<DatasetBuilder>();
    // Does not compile should it be Sync: calls on a builder are [one].
    <DatasetBuilder as AmbiguousIfSync<_>>::check();
}
