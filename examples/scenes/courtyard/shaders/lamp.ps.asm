// The lamp, which gives light of its own.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "NORMAL"[0].xyz, v1.xyz, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_output o0.xyzw
mov o0.xyzw, l(1.0, 0.93, 0.72, 1.0)
ret
