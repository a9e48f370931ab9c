// Vertices that are where they are seen already: rectangles of the overlay, and the triangle that covers a target.
vs_5_0
.input
.param "POSITION"[0].xyz, v0.xyz, float
.param "NORMAL"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.output
.param "SV_Position"[0].xyzw, o0.xyzw, float, position
.param "COLOR"[0].xyz, o1.xyz, float
.param "TEXCOORD"[0].xy, o2.xy, float
.text
dcl_input v0.xyz
dcl_input v1.xyz
dcl_input v2.xy
dcl_output_siv o0.xyzw, position
dcl_output o1.xyz
dcl_output o2.xy
mov o0.xyz, v0.xyzx
mov o0.w, l(1.0)
mov o1.xyz, v1.xyzx
mov o2.xy, v2.xyxx
ret
