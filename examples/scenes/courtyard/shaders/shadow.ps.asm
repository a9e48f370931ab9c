// Lets the light through where a leaf has none. Of the shadow map only depth is kept.
ps_5_0
.input
.param "SV_Position"[0].xyzw, v0.xyzw, float, position
.param "TEXCOORD"[0].xy, v1.xy, float
.text
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_input_ps linear v1.xy
dcl_temps 1
sample r0.xyzw, v1.xyxx, t0.xyzw, s0
lt r0.x, r0.w, l(0.5)
discard_nz r0.x
ret
