import { INSTANT, script } from "../task-client.ts";

/** Words of the length that models typically write; repeated as needed. */
const WORDS =
  "The handler now checks the role first, because the list below it may be long and is read page by page.";

const TURN_WORDS = 60;
const ANSWER_WORDS = 250;
const WORD_MS = 40;

/** How long text streams in a typical task. */
export const STREAMED_SECONDS = ((4 * TURN_WORDS + ANSWER_WORDS) * WORD_MS) / 1000;

/** A kind of task whose cost is measured. */
export interface Profile {
  name: "short" | "typical";
  /** The demo model's script without pauses, so that many tasks can be run. */
  hurried: string;
  /** The script with the pauses of a thinking model, if it has any. */
  paced?: string;
  turns: number;
  toolCalls: number;
}

/** One question, one answer: the task of the bench's other measurements. */
export const SHORT: Profile = {
  name: "short",
  hurried: INSTANT,
  turns: 1,
  toolCalls: 0,
};

/**
 * Five turns in about a minute: four with a few sentences and a tool call each, then a longer answer. A model takes
 * seconds for its first word and for the arguments of a call, which no reader sees while they are written.
 */
export const TYPICAL: Profile = {
  name: "typical",
  hurried: typical({ first: 0, word: 0 }),
  paced: typical({ first: 8_000, word: WORD_MS }),
  turns: 5,
  toolCalls: 4,
};

function typical({ first, word }: { first: number; word: number }): string {
  const path = "src/report.ts";
  const content = `// ${WORDS}\n`.repeat(20);
  const calls = [
    { name: "list_dir", arguments: { path: "." } },
    { name: "write_file", arguments: { path, content } },
    { name: "read_file", arguments: { path } },
    { name: "grep", arguments: { pattern: "role" } },
  ];
  const turns = calls.map((call) => ({
    text: words(TURN_WORDS),
    delay_ms: word,
    first_delay_ms: first,
    tools: [call],
  }));
  return script([...turns, { text: words(ANSWER_WORDS), delay_ms: word, first_delay_ms: first / 2 }]);
}

function words(count: number): string {
  const all = WORDS.split(" ");
  return Array.from({ length: count }, (_, index) => all[index % all.length]).join(" ");
}
