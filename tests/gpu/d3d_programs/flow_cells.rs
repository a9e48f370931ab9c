//! Every instruction of control flow, in each of its forms: a part of a program each.

use serde_json::json;

use super::bound::Bound;
use super::cells::{constants, prologue};
use super::wrap::{Body, EXIT, READY, Stage, Threads};

/// First instructions of parts: words that differ from tuple to tuple in `r1` and `r2`.
const BEGIN: &str = "mov r1, cb0[r0.y + 60]\nmov r2, cb0[r0.z + 76]\nxor r2, r2, r0.yzwy\nmov r10, l(1,2,3,4)\n";

/// Functions: one that leaves by its end, one that leaves early from loops and switches, one that calls the others.
const FUNCTIONS: &str = "\
label l0
iadd r10, r10, r1.wzyx
ret
label l1
mov r5.x, l(0)
loop
uge r6.x, r5.x, l(5)
breakc_nz r6.x
iadd r5.x, r5.x, l(1)
switch r5.x
case l(2)
ieq r6.y, r0.z, l(1)
retc_nz r6.y
iadd r10.x, r10.x, l(100)
break
default
iadd r10.y, r10.y, r5.x
endswitch
ult r6.x, r0.y, r5.x
if_nz r6.x
iadd r10.z, r10.z, l(7)
ret
endif
endloop
iadd r10.w, r10.w, l(1000)
ret
label l2
call l0
and r6.z, r0.y, l(1)
callc_nz r6.z, l1
retc_z r6.z
callc_z r0.z, l0
iadd r10, r10, l(5,6,7,8)
ret
";

/// The parts of all stages, without their beginning.
const PARTS: &[&str] = &[
    // if and else.
    "ult r3.x, r0.y, l(7)\nif_nz r3.x\niadd r10, r10, r1\nelse\nxor r10, r10, r2\nendif\n",
    "and r3.x, r0.y, l(3)\nif_z r3.x\nmov r10, r2.wzyx\nendif\n",
    "if_nz r0.y\nif_z r0.z\nmov r10, r1\nelse\nif_nz r1.x\nmov r10, r2\nendif\niadd r10, r10, l(1)\nendif\nelse\nnop\nendif\n",
    // Loops, left in each way.
    "mov r3.x, l(0)\nloop\niadd r10, r10, r3.xxxx\niadd r3.x, r3.x, l(1)\nuge r3.y, r3.x, r0.y\nbreakc_nz r3.y\nendloop\n",
    "mov r3.x, r0.y\nloop\nbreakc_z r3.x\niadd r3.x, r3.x, l(-1)\nimad r10, r10, l(3), r3.x\nendloop\n",
    "mov r3.x, l(0)\nloop\nimad r10, r10, l(3), r3.x\niadd r3.x, r3.x, l(2)\nuge r3.y, r3.x, r0.w\nif_nz r3.y\nbreak\nendif\nendloop\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(9)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nand r3.z, r3.x, r0.y\n\
     continuec_nz r3.z\nimad r10, r10, l(5), r3.x\nendloop\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(9)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nand r3.z, r3.x, r0.y\n\
     continuec_z r3.z\nimad r10, r10, l(5), r3.x\nendloop\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(9)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nult r3.z, r0.z, r3.x\nif_z r3.z\n\
     iadd r10.x, r10.x, l(50)\ncontinue\nendif\nimad r10, r10, l(5), r3.x\nendloop\n",
    // Loops within each other; both go on from within, and values are taken out of both.
    "mov r3.x, l(0)\nloop\nmov r3.z, r0.z\nloop\nimad r10.x, r10.x, l(3), r3.z\niadd r3.z, r3.z, l(3)\nuge r3.w, r3.z, r0.y\n\
     breakc_nz r3.w\nendloop\niadd r3.x, r3.x, l(2)\niadd r10.y, r10.y, r3.z\nuge r3.y, r3.x, r0.y\nbreakc_nz r3.y\nendloop\n",
    "mov r3.x, l(0)\nloop\niadd r3.x, r3.x, l(1)\nuge r3.y, r3.x, l(6)\nif_nz r3.y\nbreak\nendif\nmov r3.z, l(0)\nloop\n\
     iadd r3.z, r3.z, l(1)\nuge r3.w, r3.z, r3.x\nbreakc_nz r3.w\nieq r3.w, r3.z, r0.z\ncontinuec_nz r3.w\n\
     iadd r10.z, r10.z, r3.z\nendloop\nieq r3.w, r3.x, r0.z\ncontinuec_nz r3.w\nimad r10, r10, l(3), r3.z\nendloop\n",
    // Switches: each case left, values that share one, one that falls through, no default, one in the middle, only one.
    "and r3.x, r0.y, l(3)\nswitch r3.x\ncase l(0)\nmov r10, r1\nbreak\ncase l(2)\ncase l(3)\nmov r10, r2\nbreak\ndefault\n\
     iadd r10, r10, r1\nbreak\nendswitch\n",
    "and r3.x, r0.y, l(3)\nswitch r3.x\ncase l(1)\nmov r10, r1\nbreak\ncase l(-1)\nmov r10, r2\nbreak\nendswitch\n",
    "and r3.x, r0.y, l(7)\nswitch r3.x\ncase l(1)\niadd r10, r10, r1\ncase l(2)\niadd r10, r10, r2\nbreak\ncase l(4)\n\
     xor r10, r10, r1\ndefault\nxor r10, r10, r2.wzyx\nbreak\ncase l(6)\nnot r10, r10\nbreak\nendswitch\n",
    "and r3.x, r0.y, l(7)\nswitch r3.x\ndefault\niadd r10, r10, r1\ncase l(5)\niadd r10, r10, r2\nbreak\ncase l(6)\n\
     not r10, r10\nendswitch\n",
    "switch r0.y\ndefault\nmov r10, r1\nendswitch\n",
    "and r3.x, r0.y, l(3)\nswitch r3.x\ncase l(0)\nbreakc_nz r1.x\nmov r10, r1\ncase l(1)\nbreakc_z r0.z\niadd r10, r10, r2\n\
     break\ncase l(2)\nif_nz r0.z\nbreak\nendif\nnot r10, r10\nbreak\nendswitch\n",
    // A switch in a loop goes on with the loop; a loop in a switch is left alone.
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(8)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nand r3.z, r3.x, l(3)\nswitch r3.z\n\
     case l(0)\ncontinue\ncase l(1)\ncontinuec_nz r0.z\niadd r10.x, r10.x, l(9)\ncase l(2)\nult r3.w, r0.y, r3.x\n\
     continuec_z r3.w\nbreak\ndefault\nnot r10.y, r10.y\nendswitch\nimad r10, r10, l(3), r3.x\nendloop\n",
    "and r3.x, r0.y, l(1)\nswitch r3.x\ncase l(0)\nmov r3.y, l(0)\nloop\niadd r3.y, r3.y, l(1)\nimad r10, r10, l(3), r3.y\n\
     uge r3.z, r3.y, r0.z\nif_nz r3.z\nbreak\nendif\nendloop\niadd r10, r10, l(7)\ncase l(1)\nnot r10, r10\nbreak\nendswitch\n",
    // Leaving the program: plainly, on a condition, from within loops and switches.
    "ult r3.x, r0.y, l(20)\nif_nz r3.x\nmov r10, r2\nEXIT\nendif\nmov r10, r1\n",
    "READY\nretc_nz r0.z\nmov r10, r1\n",
    "READY\nretc_z r0.z\nmov r10, r1\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(6)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nimad r10, r10, l(3), r3.x\n\
     ult r3.y, r0.z, r3.x\nREADY\nretc_nz r3.y\nendloop\nmov r10, r1\n",
    "mov r3.x, l(0)\nloop\niadd r3.x, r3.x, l(1)\nswitch r3.x\ncase l(3)\nif_nz r0.z\nEXIT\nendif\ncase l(1)\nnot r10, r10\nbreak\n\
     default\nimad r10, r10, l(5), l(1)\nendswitch\nuge r3.y, r3.x, l(5)\nbreakc_nz r3.y\nendloop\n",
    // Functions.
    "call l0\nxor r10, r10, r2\n",
    "call l1\nxor r10, r10, r2\n",
    "callc_nz r0.z, l1\nxor r10, r10, r2\n",
    "callc_z r0.z, l1\ncall l2\nxor r10, r10, r2\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(3)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\ncall l2\nendloop\n",
];

/// Further parts that pixel shaders have.
const PIXEL_PARTS: &[&str] = &[
    "and r3.x, r0.y, l(1)\ndiscard_nz r3.x\nmov r10, r1\n",
    "and r3.x, r0.y, l(3)\ndiscard_z r3.x\nmov r10, r1\n",
    "mov r3.x, l(0)\nloop\nuge r3.y, r3.x, l(6)\nbreakc_nz r3.y\niadd r3.x, r3.x, l(1)\nimad r10, r10, l(3), r3.x\n\
     ieq r3.y, r0.z, r3.x\ndiscard_nz r3.y\nendloop\n",
];

/// The program of all parts that a stage has.
pub fn body(stage: Stage) -> Body {
    let more = if stage == Stage::Pixel { PIXEL_PARTS } else { &[] };
    let ready = |part: &str| part.replace("EXIT\n", EXIT).replace("READY\n", READY);
    Body {
        name: "flow".to_owned(),
        declarations: String::new(),
        prologue: prologue(),
        parts: PARTS.iter().chain(more).map(|part| BEGIN.to_owned() + &ready(part)).collect(),
        functions: FUNCTIONS.to_owned(),
        is_guarded: true,
        threads: Threads::Tuples,
        constants: constants(true),
        bound: Bound::default(),
        rule: json!({ "kind": "exact" }),
        has_sums: false,
    }
}
