/** Files of the project that the commands below read, 8 MB together for each of them. */
export const HOSTILE_FILES: Readonly<Record<string, () => string>> = {
  /** One line. */
  "line.txt": () => "a".repeat(8_000_000),
  /** 900,000 lines. */
  "lines.txt": () => "aaaaaaaa\n".repeat(900_000),
  "words.txt": () => "ab ".repeat(2_700_000),
  "patterns.txt": () => Array.from({ length: 200_000 }, (_, index) => `pattern-${index}-never`).join("\n"),
  "deep.html": () => `${"<div>".repeat(400_000)}x${"</div>".repeat(400_000)}`,
  "numbers.json": () => `[${"1234567,".repeat(999_999)}1]`,
  "one.txt": () => Array.from({ length: 400_000 }, (_, index) => `${index * 7}`).join("\n"),
  "other.txt": () => Array.from({ length: 400_000 }, (_, index) => `${index * 11 + 3}`).join("\n"),
};

/**
 * Commands that compute for minutes, most of them in one synchronous stretch, or that fill memory. By what they use.
 */
export const HOSTILE_COMMANDS: Readonly<Record<string, string>> = {
  "awk: nested loops": "awk 'BEGIN{for(i=0;i<99990;i++)for(j=0;j<99990;j++)k++;}'",
  "awk: an endless loop": "awk 'BEGIN{while(1)i++}'",
  "awk: recursion": "awk 'function f(n){return f(n+1)+f(n+1)} BEGIN{print f(1)}'",
  "awk: bounded recursion, without a bound of calls":
    "awk 'function f(n){return n<2?n:f(n-1)+f(n-2)} BEGIN{print f(60)}'",
  "awk: index": `awk '{for(i=0;i<100000;i++)k+=index($0,"aaaaaaaaab")}' line.txt`,
  "awk: toupper kept": "awk '{for(i=0;i<1000;i++)a[i]=toupper($0 i)}' line.txt",
  "awk: a loop for each record": "awk '{for(i=0;i<5000;i++)k++}' lines.txt",
  "awk: a regular expression that goes back": `awk '{if($0 ~ /(a+)+$|(a|aa)+b/)k++}' line.txt`,
  "awk: a string that doubles": `awk 'BEGIN{s="x";while(1)s=s s}'`,
  "sed: a substitution on each of many lines":
    "sed 's/a/b/g;s/b/a/g;s/a/b/g;s/b/a/g;s/a/b/g;s/b/a/g' lines.txt lines.txt lines.txt",
  "sed: a branch without an end": "echo a | sed ':a;s/a/a/;ta'",
  "sed: groups that go back": `echo ${"a".repeat(60)} | sed -E 's/(a*)*(a*)*b/x/'`,
  "jq: tojson": "jq '[range(400000)]|[tojson,tojson,tojson]|tojson|tojson|length' -n",
  "jq: test": `jq -n '"${"a".repeat(40)}"|[range(100000)]|map("${"a".repeat(40)}"|test("(a+)+b"))'`,
  "jq: recursion": "jq -n 'def f: f; f'",
  "jq: a large document": "jq 'map(.+1)|map(tostring)|sort|unique|add|length' numbers.json",
  "sort: many lines": "sort -r lines.txt one.txt other.txt | sort -n | sort -R | sort -u",
  "grep: many fixed strings": "grep -F -f patterns.txt lines.txt",
  "grep: an expression that goes back": `grep -E '(a|aa)+(a|aa)+(a|aa)+b$' line.txt`,
  "grep: look-around": `grep -P '^(a+)+$(?<=b)' line.txt`,
  "rg: alternatives": "rg -c '(a|b|ab)*(a|b|ab)*c' words.txt line.txt",
  "bash: a pattern with many stars": "s=$(cat line.txt); [[ $s == *a*a*a*a*a*b ]]",
  "bash: an expression": `[[ ${"a".repeat(40)} =~ ^(a+)+b$ ]]`,
  "bash: power": "((x=2**63, y=99**999999)); for ((;;)); do ((x=x*x+1)); done",
  "bash: braces": "echo {1..9999999} | wc -c; echo {a..z}{a..z}{a..z}{a..z}{a..z} | wc -c",
  "bash: substitution of each character":
    "s=$(cat words.txt); for i in 1 2 3 4 5 6 7 8 9; do s=${s//a/bb}; s=${s//bb/a}; done",
  "bash: nested commands": `x=x; for i in $(seq 1 40); do x=$(echo "$x$x"); done; echo \${#x}`,
  "bash: recursion": "f() { f; f; }; f",
  "bash: eval": `x='eval "$x"'; eval "$x"`,
  "bash: here-documents": "for i in $(seq 1 100000); do cat <<END >/dev/null\n$(cat line.txt)\nEND\ndone",
  "printf: a width":
    "for i in $(seq 1 1000); do printf '%0999999d' $i > /dev/null; printf '%*s' 99999999 x; done",
  "glob: many stars":
    "mkdir -p a/a/a/a/a/a/a/a; for i in $(seq 1 200); do : > a/f$i; done; for i in $(seq 1 100000); do echo **/*/**/*a*a*a*b; done",
  "xargs: a command for each line": "xargs -n1 echo < lines.txt | wc -l",
  "find: exec": "for i in $(seq 1 100000); do find / -exec true {} ';'; done",
  "tar and gzip: a bomb":
    "for i in 1 2 3; do cat line.txt; done | gzip | gzip > b; while :; do gunzip -c b | gunzip -c | gzip | wc -c; done; tar xf b",
  "sqlite3 or awk: a join":
    "sqlite3 :memory: 'with recursive t(x) as (select 1 union all select x+1 from t) select count(*) from t' || awk 'BEGIN{for(;;)i++}'",
  "html-to-markdown: nested":
    "html-to-markdown deep.html | wc -c; while :; do html-to-markdown < deep.html > /dev/null; done",
  "diff: nothing alike": "diff one.txt other.txt | wc -l",
  "yq, xan and csv":
    "yq '.[] | . + 1' numbers.json; xan count lines.txt; while :; do cut -c1-4 lines.txt | uniq -c | paste - - | column -t | wc; done",
  "base64 and digests": "while :; do base64 line.txt | base64 -d | sha256sum; done",
  "seq, comm, join":
    "seq 1 99999999 | wc -l; join one.txt other.txt | wc -l; while :; do comm one.txt other.txt > /dev/null; done",
  sleep: "sleep 600",
};
