import type { Bash } from "just-bash";

/** State that one line leaves for the next. */
interface LineResult {
  output: string;
  /** The value of `$?`; the session's exit code when it ends with the line. */
  status: number;
  exits: boolean;
  cwd: string;
  variables: Record<string, string>;
}

interface LineBefore {
  text: string;
  /** `$?` before the line. */
  status: number;
  /** All variables; the shell's own when absent. */
  variables?: Record<string, string> | undefined;
}

const STATUS_VARIABLE = "__workspace_status";
/** Variables that a shell sets by itself, or that are read-only. */
const OWN_VARIABLES = new Set(["SHELLOPTS", "BASHOPTS", STATUS_VARIABLE]);
/** Exit code of just-bash for a command that reached a limit. */
const EXIT_LIMIT = 126;
const EXIT_INTERRUPTED = 130;
const EXIT_SYNTAX = 2;

/** Whether the text needs more lines before it can run. */
export function isUnfinished(bash: Bash, text: string): boolean {
  if (/(?:\\|\||&&)\s*$/u.test(text)) return true;
  const hereDocument = /<<-?\s*(["']?)([A-Za-z_]\w*)\1/u.exec(text);
  if (hereDocument) return !text.split("\n").some((line) => line.trimStart() === hereDocument[2]);
  try {
    // Used only to parse the text; there is nothing to transform.
    bash.transform(text);
    return false;
  } catch (error) {
    return isAtEnd(error, text);
  }
}

/** Whether a text asks for something in the background, at any depth. */
export function usesBackground(bash: Bash, text: string): boolean {
  if (!text.includes("&")) return false;
  try {
    return JSON.stringify(bash.transform(text).ast).includes('"background":true');
  } catch {
    // It could not be parsed, and did not run.
    return false;
  }
}

/**
 * Runs a line of a session until it ends or the signal aborts. A failing command returns a result. just-bash keeps no
 * state between two scripts, so the directory, the variables and the last status are passed from one to the next;
 * functions, aliases and options are not.
 */
export async function runLine(
  bash: Bash,
  { text, status: before, variables = bash.getEnv() }: LineBefore,
  signal: AbortSignal,
): Promise<LineResult> {
  const cwd = bash.getCwd();
  const result = await bash.exec(`exec 2>&1\n(exit ${before})\n${text}\n${STATUS_VARIABLE}=$?`, {
    rawScript: true,
    cwd,
    env: variables,
    replaceEnv: true,
    signal,
  });
  const kept = { exits: false, cwd, variables };
  if (signal.aborted) return { ...kept, output: "", status: EXIT_INTERRUPTED };
  const output = result.stdout + result.stderr;
  const status = result.env[STATUS_VARIABLE];
  // The last line of the script sets the variable; an `exit` before it skips that.
  const exits = status === undefined && /\bexit\b|\bset -e/u.test(text) && result.exitCode !== EXIT_LIMIT;
  if (exits) return { ...kept, output, status: result.exitCode, exits };
  if (status === undefined) return { ...kept, output, status: result.exitCode || EXIT_SYNTAX };
  return {
    output,
    status: Number(status),
    exits,
    cwd: result.env["PWD"] ?? cwd,
    variables: Object.fromEntries(
      Object.entries(result.env).filter(([name]) => /^[A-Za-z_]\w*$/u.test(name) && !OWN_VARIABLES.has(name)),
    ),
  };
}

/** Whether a syntax error is at the end of the text, where further lines may resolve it. */
function isAtEnd(error: unknown, text: string): boolean {
  if (!(error instanceof Error)) return false;
  const [, line, column] = /Parse error at (\d+):(\d+)/u.exec(error.message) ?? [];
  const lines = text.split("\n");
  const isLastPlace = Number(line) === lines.length && Number(column) === (lines.at(-1) ?? "").length + 1;
  return isLastPlace || /\bEOF\b/u.test(error.message);
}
