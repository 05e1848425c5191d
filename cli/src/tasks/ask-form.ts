import { visibleLine, type api } from "@agent-workspace/client";
import { textAsValue } from "./asked-input.ts";

/** Values by the names of fields. */
export type Content = Readonly<Record<string, unknown>>;

/** What a person says to a question of a server. */
export type InputAnswer =
  | { readonly response: "accept"; readonly content: Content }
  | { readonly response: "decline" | "cancel" };

interface Asking {
  /** Answers that were refused, to begin with. */
  readonly before?: Content | undefined;
  /** Called for Ctrl-C and Esc. */
  readonly interrupt: () => void;
  readonly signal: AbortSignal;
}

/**
 * Asks a person at the terminal whether a question of a server is answered, and then field by field. Undefined when the signal, Ctrl-C
 * or Esc ends it.
 */
export async function askForm(
  { mode, fields = [] }: api.AskedInput,
  { before = {}, interrupt, signal }: Asking,
): Promise<InputAnswer | undefined> {
  const prompts = await import("@clack/prompts");
  const ended = () => {
    if (!signal.aborted) interrupt();
    return undefined;
  };
  const accept = mode === "url" ? "Done" : fields.length === 0 ? "Agree" : "Answer";
  const response = await asked(signal, (common) =>
    prompts.select({
      ...common,
      message: "Your answer",
      options: [
        { value: "accept", label: accept },
        { value: "decline", label: "Decline" },
        { value: "cancel", label: "Give no answer" },
      ] as const,
    }),
  );
  if (prompts.isCancel(response)) return ended();
  if (response !== "accept") return { response };
  const content: Record<string, unknown> = {};
  for (const field of fields) {
    const initial = before[field.name] ?? field.default;
    const value = await asked(signal, (common) => askField(field, initial, common));
    if (prompts.isCancel(value)) return ended();
    if (value !== undefined) content[field.name] = value;
  }
  return { response, content };

  async function askField(field: api.AskedField, initial: unknown, common: Common): Promise<unknown> {
    const message = questionOf(field);
    const options = (field.options ?? []).map(({ value, title }) => ({ value, label: visibleLine(title) }));
    switch (field.type) {
      case "boolean":
        return prompts.confirm({ ...common, message, initialValue: initial === true });
      case "choice": {
        const none = field.required ? [] : [{ value: undefined, label: "(no answer)" }];
        const initialValue = options.find(({ value }) => value === initial)?.value;
        return prompts.select({
          ...common,
          message,
          maxItems: 12,
          initialValue,
          options: [...options, ...none],
        });
      }
      case "choices": {
        const initialValues = options
          .map(({ value }) => value)
          .filter((each) => listOf(initial).includes(each));
        const required = field.required && (field.min ?? 0) > 0;
        return prompts.multiselect({ ...common, message, maxItems: 12, options, initialValues, required });
      }
      case "number":
      case "integer":
      case "string":
      default: {
        const initialValue = typeof initial === "string" || typeof initial === "number" ? `${initial}` : "";
        const validate = (text: string | undefined) => problemOf(field, text ?? "");
        const text = await prompts.text({ ...common, message, initialValue, validate });
        return text === "" ? undefined : typeof text === "string" ? textAsValue(field, text) : text;
      }
    }
  }
}

/** What every prompt is given. */
interface Common {
  readonly output: typeof process.stderr;
  readonly signal: AbortSignal;
}

/**
 * Asks with a signal of the prompt's own: at an abort a prompt that has ended long ago would end again, and take the keys from whoever
 * reads them by then.
 */
async function asked<T>(signal: AbortSignal, ask: (common: Common) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const end = () => control.abort();
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await ask({ output: process.stderr, signal: control.signal });
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The field as it is asked for. */
function questionOf({ title, description = "", required }: api.AskedField): string {
  return visibleLine(
    `${title}${required ? "" : " (optional)"}${description === "" ? "" : `: ${description}`}`,
  );
}

/** What is wrong with a text before the service looks at it. */
function problemOf(field: api.AskedField, text: string): string | undefined {
  if (text === "") return field.required ? "An answer is required" : undefined;
  try {
    textAsValue(field, text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
