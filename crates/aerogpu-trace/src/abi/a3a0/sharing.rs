//! Packets that share surfaces between processes.

use super::layout::{RESERVED, RESOURCE, TOKEN, some_handle};
use super::table::family;

family! {
    /// Packets that share surfaces between processes.
    SharingPacket, life 'a, body Sharing;

    /// Makes a texture known under a token.
    0x710 EXPORT_SHARED_SURFACE ExportSharedSurface {
        resource: u32 = some_handle(RESOURCE), reserved: u32 = RESERVED, share_token: u64 = TOKEN,
    };
    /// Gives the texture behind a token another handle.
    0x711 IMPORT_SHARED_SURFACE ImportSharedSurface {
        out_resource: u32 = some_handle(RESOURCE), reserved: u32 = RESERVED, share_token: u64 = TOKEN,
    };
    /// Ends a token's life.
    0x712 RELEASE_SHARED_SURFACE ReleaseSharedSurface { share_token: u64 = TOKEN, reserved: u64 = RESERVED };
}
