// A sky that is brighter towards the ground.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "COLOR"[0].xyz, v1.xyz, float
.param "TEXCOORD"[0].xy, v2.xy, float
.output
.param "SV_Target"[0].xyzw, o0.xyzw, float, target
.text
dcl_input_ps linear v2.xy
dcl_output o0.xyzw
dcl_temps 1
mul r0.x, v2.y, v2.y
mad o0.xyz, r0.xxxx, l(0.42, 0.38, 0.22, 0), l(0.16, 0.30, 0.52, 0)
mov o0.w, l(1.0)
ret
