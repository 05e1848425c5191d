import type { Moment } from "./conversation.ts";

/** A call of a tool by what is meant; its parameters get the names that the tool declares. */
export type Wished = readonly [tool: string, values: Readonly<Record<string, string | number>>];

/** What the demo model does for a message that the console offers to begin with. */
interface Starter {
  /** Found in the message. */
  asks: RegExp;
  files?: Readonly<Record<string, string>>;
  /** What follows once the files are there. */
  calls?: readonly Wished[];
  /** `{output}` is what the last command printed. */
  answer: string;
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>To do</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 28rem; margin: 3rem auto; padding: 0 1rem; }
  form { display: flex; gap: .5rem; }
  input[name] { flex: 1; }
  input, button { font: inherit; padding: .4rem .6rem; border-radius: .4rem; border: 1px solid gray; }
  ul { list-style: none; padding: 0; }
  li { display: flex; gap: .6rem; padding: .4rem 0; }
  :checked + span { opacity: .5; text-decoration: line-through; }
</style>
<h1>To do</h1>
<form><input name="task" required aria-label="New task" placeholder="What is next?"><button>Add</button></form>
<ul></ul>
<p id="left"></p>
<script>
  const list = document.querySelector("ul");
  const count = () => {
    const open = list.querySelectorAll("input:not(:checked)").length;
    document.querySelector("#left").textContent = open === 1 ? "1 task left" : open + " tasks left";
  };
  const add = (text) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", onchange: count });
    const name = Object.assign(document.createElement("span"), { textContent: text });
    label.append(box, " ", name);
    const item = document.createElement("li");
    item.append(label);
    list.append(item);
    count();
  };
  document.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    add(event.target.task.value);
    event.target.reset();
  };
  add("Open the preview");
  add("Ask the agent for a change");
</script>
</html>
`;

const FUNCTION = `# Prints a duration such as 1h30m or 45s in seconds. Fails for anything else.
to_seconds() {
  if [[ -z "$1" || ! "$1" =~ ^(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?$ ]]; then
    echo "not a duration: $1" >&2
    return 1
  fi
  local h="\${BASH_REMATCH[2]:-0}" m="\${BASH_REMATCH[4]:-0}" s="\${BASH_REMATCH[6]:-0}"
  echo $((h * 3600 + m * 60 + s))
}
`;

const TESTS = `. ./duration.sh
failed=0
expect() {
  if [ "$(to_seconds "$1" 2>/dev/null)" = "$2" ]; then echo "ok      $1 is \${2:-refused}"; else echo "NOT OK  $1"; failed=1; fi
}
expect 45s 45
expect 2m 120
expect 1h30m 5400
expect 1h1m1s 3661
expect "one hour" ""
exit $failed
`;

const STARTERS: readonly Starter[] = [
  {
    asks: /\bto-do list\b[\s\S]*\bindex\.html\b/iu,
    files: { "index.html": PAGE },
    answer:
      "The to-do list is in [index.html](index.html): one page without a server. Open **Preview** to use it, and ask me for a change.\n\nI am the demo model and follow a script; add a provider key for a model that thinks.",
  },
  {
    asks: /\bduration\.sh\b/iu,
    files: { "duration.sh": FUNCTION, "duration.test.sh": TESTS },
    calls: [["bash_exec", { command: "bash duration.test.sh" }]],
    answer:
      "The function is in [duration.sh](duration.sh), its tests are in [duration.test.sh](duration.test.sh). They print:\n\n```\n{output}\n```\n\nI am the demo model and follow a script; add a provider key for a model that thinks.",
  },
];

/** The calls that a starter takes, one for each turn, and its answer; undefined for any other message. */
export function starterOf({
  prompt,
}: Pick<Moment, "prompt">): { calls: Wished[]; answer: string } | undefined {
  const found = STARTERS.find(({ asks }) => asks.test(prompt));
  if (!found) return undefined;
  const { files = {}, calls = [], answer } = found;
  const writes = Object.entries(files).map(([path, content]): Wished => ["write_file", { path, content }]);
  return { calls: [...writes, ...calls], answer };
}
