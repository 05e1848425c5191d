import * as fc from "fast-check";
import { HOSTILE_FILES } from "./hostile-commands.ts";

const file = fc.constantFrom(...Object.keys(HOSTILE_FILES), "missing", "/dev/zero", "*", "**/*");
const number = fc.constantFrom("0", "1", "-1", "1000", "99999999", "9223372036854775807");
const expression = fc.constantFrom("a", "(a+)+b", "(a|aa)*$", "^(.*)*x", "[[:alpha:]]+", "\\(a*\\)*b");
const awk = fc.constantFrom(
  "{for(i=0;i<99999;i++)k++}",
  "BEGIN{while(1)s=s s i++}",
  '{n+=split($0,a,"")}',
  "function f(n){return f(n+1)} BEGIN{f(1)}",
  '{gsub(/a/,"bb");print toupper($0)}',
);
const jq = fc.constantFrom(
  "[range(9999999)]|length",
  "tojson|tojson",
  "[.[]|tostring]|sort",
  "def f: f; f",
  ".. | 1",
);

/** Commands made by a grammar: filters over large files, in pipes, loops, functions and substitutions. Up to 900 characters. */
export const anyCommand: fc.Arbitrary<string> = fc
  .letrec<{ simple: string; command: string }>((tie) => ({
    simple: fc.oneof(
      fc.tuple(awk, file).map(([program, input]) => `awk '${program}' ${input}`),
      fc.tuple(jq, file).map(([program, input]) => `jq '${program}' ${input}`),
      fc.tuple(expression, file).map(([pattern, input]) => `sed -E 's/${pattern}/x/g;ta' ${input}`),
      fc.tuple(expression, file).map(([pattern, input]) => `grep -E '${pattern}' ${input}`),
      fc.tuple(file, file).map(([one, other]) => `diff ${one} ${other}`),
      fc.tuple(number, number).map(([from, to]) => `seq ${from} ${to}`),
      fc.tuple(number, number).map(([width, value]) => `printf '%${width}d' ${value}`),
      number.map((end) => `echo {1..${end}}`),
      fc
        .constantFrom(
          "sort",
          "sort -n",
          "uniq -c",
          "rev",
          "tac",
          "fold -w1",
          "gzip",
          "gunzip",
          "base64",
          "wc",
          "cat",
        )
        .chain((filter) => file.map((input) => `${filter} ${input}`)),
      file.map((input) => `xargs -n1 echo < ${input}`),
    ),
    command: fc.oneof(
      { maxDepth: 4 },
      tie("simple"),
      fc.tuple(tie("command"), tie("command")).map(([one, other]) => `${one} | ${other}`),
      fc.tuple(tie("command"), tie("command")).map(([one, other]) => `${one} && ${other}; ${one}`),
      tie("command").map((body) => `while :; do ${body}; done`),
      tie("command").map((body) => `for i in $(seq 1 100000); do ${body}; done`),
      tie("command").map((body) => `f() { ${body}; f; }; f`),
      tie("command").map((body) => `x=$(${body}); echo "$x$x" > out.txt`),
      tie("command").map((body) => `(${body}) > out.txt 2>&1`),
    ),
  }))
  .command.filter((command) => command.length <= 900);
