// Vertices that are where they are seen already.
vs_2_0
def c9, 0.0, 1.0, 0.0, 0.0
dcl_position v0
dcl_normal v1
dcl_texcoord v2
mov r0, v0
mov r0.w, c9.y
mov oPos, r0
mov oD0, c9.y
mov oT0, v2
mov oFog, c9.y
