import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { lazily } from "../lazily.tsx";
import { Dialog } from "../parts/dialog.tsx";
import type { GoToProps } from "./go-to.tsx";
import { openDialog } from "./open-dialog.ts";
import { projectAt } from "./places.ts";

interface PaletteProps extends GoToProps {
  setEarly: (text: string) => void;
}

const LoadedPalette = lazily<PaletteProps>(async () => (await import("./go-to.tsx")).GoTo, EarlyField);

const SHORTCUTS = [
  ["Ctrl+K or ⌘K", "Search, or jump to a page, project or chat"],
  ["?", "Show this list"],
  ["Enter, Ctrl+Enter or ⌘Enter", "Send the message"],
  ["@", "Name a file in a message"],
  ["/", "Give a command where a message is written"],
  ["Alt+Y", "Allow what the agent asks for, once"],
  ["Alt+N", "Deny it: the reason is written next"],
  ["Ctrl+S or ⌘S", "Save the open file"],
  ["Ctrl+P or ⌘P", "Open a file by its name, on the Files page"],
  ["Shift+Tab", "Leave the terminal"],
  ["Esc", "Close a dialog or a menu"],
] as const;

/** The dialogs that a shortcut or a button of the shell opens from every page. */
export function Shortcuts() {
  const open = openDialog.value;
  const [location, navigate] = useLocation();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openDialog.value = "go-to";
      }
      if (event.key === "?" && !isCommand && !isWriting(event.target)) {
        event.preventDefault();
        openDialog.value = "shortcuts";
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  if (open === undefined) return null;
  return (
    <Dialog
      label={open === "go-to" ? "Search or jump to…" : "Keyboard shortcuts"}
      onClosed={() => (openDialog.value = undefined)}
    >
      {(close) =>
        open === "go-to" ? (
          <Palette
            here={projectAt(location)}
            go={(address) => {
              close();
              navigate(address);
            }}
          />
        ) : (
          <ShortcutList close={close} />
        )
      }
    </Dialog>
  );
}

function Palette(props: Pick<GoToProps, "here" | "go">) {
  const [early, setEarly] = useState("");
  return <LoadedPalette {...props} early={early} setEarly={setEarly} />;
}

/** Takes what is typed until the code is there that finds something. */
function EarlyField({ early, setEarly }: PaletteProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="field">
      <label for={id}>Search or jump to…</label>
      <input
        id={id}
        ref={field}
        autocomplete="off"
        value={early}
        onInput={({ currentTarget }) => setEarly(currentTarget.value)}
      />
    </div>
  );
}

function ShortcutList({ close }: { close: () => void }) {
  return (
    <>
      <h2>Keyboard shortcuts</h2>
      <dl class="facts">
        {SHORTCUTS.map(([keys, what]) => (
          <>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </>
  );
}

/** Whether keys are text there: fields, editors and terminals. */
function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, .terminal, .xterm") !== null)
  );
}
