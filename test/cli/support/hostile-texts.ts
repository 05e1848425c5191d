const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;

/** Sequences of ECMA-48, xterm and others, each with what it does to a terminal. */
const SEQUENCES: readonly string[] = [
  // Operating system commands: title, icon, clipboard, links, colours, folder, notification.
  ...[0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 133, 777, 1337].flatMap((code) => [
    `${ESC}]${code};evil${BEL}`,
    `${ESC}]${code};evil${ST}`,
    `\u009d${code};evil\u009c`,
  ]),
  `${ESC}]52;c;cm0gLXJmIH4=${BEL}`,
  `${ESC}]52;c;?${BEL}`,
  `${ESC}]8;;https://evil.example${ST}click${ESC}]8;;${ST}`,
  // Cursor, erasing, scrolling.
  ..."ABCDEFGHIJKLMPSTXZ`abdef".split("").flatMap((final) => [`${ESC}[5${final}`, `\u009b5${final}`]),
  `${ESC}[2J`,
  `${ESC}[3J`,
  `${ESC}[1;1H`,
  `${ESC}[2;5r`,
  `${ESC}7${ESC}[10;10H${ESC}8`,
  // Modes: keys, cursor, wrapping, alternate screen, mouse, focus, paste, margins, synchronised output.
  ...[
    1, 3, 5, 6, 7, 9, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1048, 1049,
    2004, 2026,
  ].flatMap((mode) => [`${ESC}[?${mode}h`, `${ESC}[?${mode}l`, `\u009b?${mode}h`]),
  `${ESC}[4h`,
  `${ESC}[20h`,
  `${ESC}=`,
  `${ESC}>`,
  // Questions that the terminal answers as if the answer was typed.
  ...[
    "c",
    ">c",
    "=c",
    "5n",
    "6n",
    "?6n",
    "?15n",
    "18t",
    "14t",
    "21t",
    "x",
    "?1$p",
    "?2004$p",
    ">q",
    "?u",
  ].flatMap((question) => [`${ESC}[${question}`, `\u009b${question}`]),
  `${ESC}Z`,
  "\u0005",
  // Looks.
  ...[1, 4, 5, 7, 8, 9, 30, 31, 41, 47, 90, 107].flatMap((look) => [`${ESC}[${look}m`, `\u009b${look}m`]),
  `${ESC}[38;5;196m`,
  `${ESC}[38;2;1;2;3m`,
  `${ESC}[4:3m`,
  `${ESC}[ q`,
  `${ESC}[5 q`,
  // Device control strings, privacy messages, application program commands, strings without an end.
  `${ESC}P$qm${ST}`,
  `${ESC}P+q544e${ST}`,
  `${ESC}Pq#0;2;0;0;0#0!10~${ST}`,
  `${ESC}P1$r0m${ST}`,
  `${ESC}^private${ST}`,
  `${ESC}_Gf=24,s=1,v=1;AAAA${ST}`,
  `${ESC}Xstring${ST}`,
  `\u0090$qm\u009c`,
  `\u009eprivate\u009c`,
  `\u009fprogram\u009c`,
  `${ESC}]0;no end`,
  `${ESC}Pno end`,
  `${ESC}[`,
  ESC,
  // Character sets, reset, lines.
  `${ESC}(0`,
  `${ESC})0\u000e`,
  "\u000e",
  "\u000f",
  `${ESC}c`,
  `${ESC}[!p`,
  `${ESC}#8`,
  `${ESC}#3`,
  `${ESC}D`,
  `${ESC}M`,
  `${ESC}E`,
  `${ESC}H`,
  `${ESC}%G`,
  // Single characters.
  BEL,
  "\b\b\b\b",
  "\u000b",
  "\u000c",
  "\rover",
  "\u007f",
  "\u0084",
  "\u0085",
  "\u008d",
  "\u0018",
  "\u001a",
  // Order and width.
  "\u202eevil\u202c",
  "\u2066evil\u2069",
  "\u2067evil",
  "\u200eevil\u200f",
  "pass\u200bword",
  "\ufeffname",
  "\u{e0041}\u{e007f}",
];

/** Texts as a model, a tool, a file or a name might have them: each sequence alone, and within words. */
export function hostileTexts(): string[] {
  return SEQUENCES.flatMap((sequence) => [sequence, `before ${sequence} after`]);
}
