const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;

/** Texts of a list whose items are parted by blanks. */
const each = (list: string, before = "", after = "") =>
  list.split(" ").map((item) => `${before}${item}${after}`);
/** What begins with a control sequence, in its seven-bit and its eight-bit form. */
const controls = (list: string, before = "", after = "") => [
  ...each(list, `${ESC}[${before}`, after),
  ...each(list, `\u009b${before}`, after),
];

const MODES = "1 3 5 6 7 9 25 45 47 66 69 1000 1002 1003 1004 1005 1006 1015 1016 1047 1048 1049 2004 2026";

/** Sequences of ECMA-48, xterm and others, each with what it does to a terminal. */
const SEQUENCES: readonly string[] = [
  // Operating system commands: title, icon, clipboard, links, colours, folder, notification.
  ...["0 1 2 4 7 8 9 10 11 12 52 104 133 777 1337"].flatMap((codes) => [
    ...each(codes, `${ESC}]`, `;evil${BEL}`),
    ...each(codes, `${ESC}]`, `;evil${ST}`),
    ...each(codes, "\u009d", ";evil\u009c"),
  ]),
  ...each("cm0gLXJmIH4= ?", `${ESC}]52;c;`, BEL),
  `${ESC}]8;;https://evil.example${ST}click${ESC}]8;;${ST}`,
  // Cursor, erasing, scrolling.
  ...controls("A B C D E F G H I J K L M P S T X Z ` a b d e f", "5"),
  ...each("[2J [3J [1;1H [2;5r", ESC),
  `${ESC}7${ESC}[10;10H${ESC}8`,
  // Modes: keys, cursor, wrapping, alternate screen, mouse, focus, paste, margins, synchronised output.
  ...controls(MODES, "?", "h"),
  ...each(MODES, `${ESC}[?`, "l"),
  ...each("[4h [20h = >", ESC),
  // Questions that the terminal answers as if the answer was typed.
  ...controls("c >c =c 5n 6n ?6n ?15n 18t 14t 21t x ?1$p ?2004$p >q ?u"),
  `${ESC}Z`,
  "\u0005",
  // Looks.
  ...controls("1 4 5 7 8 9 30 31 41 47 90 107", "", "m"),
  ...each("[38;5;196m [4:3m", ESC),
  `${ESC}[ q`,
  `${ESC}[5 q`,
  // Device control strings, privacy messages, application program commands, strings without an end.
  ...each("P$qm P+q544e Pq#0;2;0;0;0#0!10~ P1$r0m ^private _Gf=24,s=1,v=1;AAAA Xstring", ESC, ST),
  ...each("\u0090$qm \u009eprivate \u009fprogram", "", "\u009c"),
  `${ESC}]0;no end`,
  `${ESC}Pno end`,
  `${ESC}[`,
  ESC,
  // Character sets, reset, lines.
  ...each("(0 )0\u000e c [!p #8 #3 D M E H %G", ESC),
  // Single characters, order and width.
  ...each(
    `\u000e \u000f ${BEL} \b\b\b\b \u000b \u000c \rover \u007f \u0084 \u0085 \u008d \u0018 \u001a \u200eevil`,
  ),
  ...each("\u202eevil\u202c \u2066evil\u2069 \u2067evil pass\u200bword \ufeffname \u{e0041}\u{e007f}"),
];

/** Texts as a model, a tool, a file or a name might have them: each sequence alone, and within words. */
export function hostileTexts(): string[] {
  return SEQUENCES.flatMap((sequence) => [sequence, `before ${sequence} after`]);
}
