import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { lazily } from "../lazily.tsx";
import { Dialog } from "../parts/dialog.tsx";
import type { GoToProps } from "./go-to.tsx";

interface PaletteProps extends GoToProps {
  setEarly: (text: string) => void;
}

const LoadedPalette = lazily<PaletteProps>(async () => (await import("./go-to.tsx")).GoTo, EarlyField);

const SHORTCUTS = [
  ["Ctrl+K or ⌘K", "Go to a page, a project or a chat; search messages"],
  ["?", "This list"],
  ["Ctrl+Enter or ⌘Enter", "Send the message to the agent"],
  ["Ctrl+S or ⌘S", "Save the file in the editor"],
  ["Ctrl+P or ⌘P", "Open a file by its name, on the page of files"],
  ["Shift+Tab", "Leave the terminal"],
  ["Esc", "Close a dialog"],
] as const;

type Open = "go-to" | "shortcuts" | undefined;

/** The dialogs that a shortcut opens from every page, and the button for those without a keyboard. */
export function Shortcuts() {
  const [open, setOpen] = useState<Open>();
  const [location, navigate] = useLocation();
  const here = /^\/projects\/(?!new(?:\/|$))([^/]+)/u.exec(location)?.[1];
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen("go-to");
      }
      if (event.key === "?" && !isCommand && !isWriting(event.target)) {
        event.preventDefault();
        setOpen("shortcuts");
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  return (
    <>
      <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen("go-to")}>
        Go to …
      </button>
      {open !== undefined && (
        <Dialog label={open === "go-to" ? "Go to" : "Shortcuts"} onClosed={() => setOpen(undefined)}>
          {(close) =>
            open === "go-to" ? (
              <Palette
                here={here}
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
      )}
    </>
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
      <label for={id}>Go to</label>
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
      <h2>Shortcuts</h2>
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
