import type { Random } from "#test/support/random.ts";

/** What the demo model is told to do, and what that must come to. */
export interface Script {
  message: string;
  /** Text of each turn, in order; the last is the answer. */
  texts: string[];
  /** Files to which a call adds one line each time it runs. */
  effects: string[];
  /** Calls of all turns. */
  calls: number;
}

interface Tool {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * Some turns of slow text and calls, a few seconds in all. Each shell command adds a line to a file of its own after a
 * pause, so that a repetition is seen in the file; writing and reading files may be repeated. A `pace` of 0.1 makes it a
 * tenth of the time.
 */
export function newScript(name: string, random: Random, pace = 1): Script {
  const effects: string[] = [];
  const texts: string[] = [];
  const turns: object[] = [];
  const append = (): Tool => {
    const file = `effects/${name}-${effects.length + 1}.txt`;
    effects.push(file);
    const seconds = random.chance(0.5) ? (pace * random.between(0.3, 1.5)).toFixed(2) : "0";
    return {
      name: "bash_exec",
      arguments: { command: `mkdir -p effects; echo ran >> ${file}; sleep ${seconds}; echo end` },
    };
  };
  const harmless = (): Tool =>
    random.chance(0.5)
      ? { name: "write_file", arguments: { path: `notes/${name}.txt`, content: name } }
      : { name: "get_project_info", arguments: {} };
  const speak = (tools: Tool[]) => {
    const text = `${name}, turn ${texts.length + 1}: ${"a few slow words ".repeat(random.whole(1, 4))}`;
    texts.push(text);
    turns.push({
      text,
      chunks: random.whole(3, 10),
      delay_ms: Math.round(pace * random.whole(20, 150)),
      first_delay_ms: Math.round(pace * random.whole(0, 200)),
      tools,
    });
  };
  for (let turn = random.whole(2, 4); turn > 0; turn -= 1) {
    const tools = Array.from({ length: random.whole(1, 3) }, () =>
      random.chance(0.7) ? append() : harmless(),
    );
    speak(tools);
  }
  speak([]);
  const calls = turns.reduce(
    (sum: number, turn) => sum + ("tools" in turn && Array.isArray(turn.tools) ? turn.tools.length : 0),
    0,
  );
  return {
    message: `Follow the script.\n\`\`\`demo\n${JSON.stringify(turns)}\n\`\`\``,
    texts,
    effects,
    calls,
  };
}
