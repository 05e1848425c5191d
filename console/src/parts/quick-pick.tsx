import { useMemo, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { PickList } from "./pick-list.tsx";
import { shownPath } from "./shown-path.ts";

interface QuickPickProps {
  label: string;
  /** The paths that match a text, the best first. */
  find: (text: string) => readonly string[];
  onPicked: (value: string) => void;
  onClosed: () => void;
}

/** A dialog in which a person types a part of a path and picks one of the matches. */
export function QuickPick({ label, find, onPicked, onClosed }: QuickPickProps) {
  const [text, setText] = useState("");
  const picks = useMemo(() => find(text).map((value) => ({ value, name: shownPath(value) })), [find, text]);
  return (
    <Dialog label={label} onClosed={onClosed}>
      {(close) => (
        <>
          <PickList
            label={label}
            picks={picks}
            typed={setText}
            picked={(value) => {
              close();
              onPicked(value);
            }}
          />
          <button type="button" onClick={close}>
            Close
          </button>
        </>
      )}
    </Dialog>
  );
}
