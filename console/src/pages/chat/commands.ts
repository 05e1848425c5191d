import type { EditMode } from "../../service/choices.ts";

/** Something that a person does with `/` and a word. */
export interface Command {
  readonly name: string;
  /** What it does, in a sentence. */
  readonly about: string;
  readonly run: () => void;
}

/** What the commands do, as the page of the chat can. */
export interface CommandActions {
  readonly setMode: (mode: EditMode) => void;
  readonly undo: () => void;
  readonly compact: () => void;
  /** Undefined while the agent is not at work. */
  readonly stop: (() => void) | undefined;
  readonly newChat: () => void;
  readonly show: (tab: "files" | "changes" | "preview" | "terminal") => void;
}

/** The commands that can be given now. */
export function commandsOf({
  setMode,
  undo,
  compact,
  stop,
  newChat,
  show,
}: CommandActions): readonly Command[] {
  return [
    { name: "new", about: "Start a new chat", run: newChat },
    ...(stop ? [{ name: "stop", about: "Stop the agent", run: stop }] : []),
    ...(stop
      ? []
      : [
          { name: "undo", about: "Undo the last message and its file changes", run: undo },
          { name: "compact", about: "Summarise the chat to free context", run: compact },
        ]),
    { name: "ask", about: "Ask first: before changes and commands", run: () => setMode("ask") },
    { name: "allow", about: "Allow all: changes and commands", run: () => setMode("allow") },
    { name: "plan", about: "Plan only: change nothing", run: () => setMode("plan") },
    { name: "files", about: "Show the files", run: () => show("files") },
    { name: "changes", about: "Show the changes", run: () => show("changes") },
    { name: "preview", about: "Show the preview", run: () => show("preview") },
    { name: "terminal", about: "Open a terminal", run: () => show("terminal") },
  ];
}
