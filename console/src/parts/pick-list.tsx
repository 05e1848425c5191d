import * as combobox from "@zag-js/combobox";
import { normalizeProps, useMachine } from "@zag-js/preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Something that a person can pick. */
export interface Pick {
  readonly value: string;
  readonly name: string;
  /** What kind of thing it is, and where. */
  readonly about?: string;
}

/** A field, and what matches its text: `typed` is told of each change, the best match is first, and Enter picks it. */
export function PickList({
  label,
  picks,
  begin = "",
  typed,
  picked,
  none = "Nothing found.",
  about,
}: {
  label: string;
  picks: readonly Pick[];
  /** The text that is there at first. */
  begin?: string;
  typed: (text: string) => void;
  picked: (value: string) => void;
  /** What stands there where nothing matches. */
  none?: string;
  /** What is said of the picks below them. */
  about?: string | undefined;
}) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  /** What the person went to; until then, and after each change of the text, Enter picks the first. */
  const [marked, setMarked] = useState<string | null>(null);
  const collection = useMemo(
    () =>
      combobox.collection<Pick>({
        items: [...picks],
        itemToValue: ({ value }) => value,
        itemToString: ({ name }) => name,
      }),
    [picks],
  );
  const service = useMachine(combobox.machine, {
    id: useId(),
    collection,
    open: true,
    // The dialog that it stands in is what Escape closes.
    disableLayer: true,
    highlightedValue: (picks.find(({ value }) => value === marked) ?? picks[0])?.value ?? null,
    onHighlightChange: ({ highlightedValue }) => setMarked(highlightedValue),
    selectionBehavior: "preserve",
    defaultInputValue: begin,
    onInputValueChange: ({ inputValue }) => {
      setMarked(null);
      typed(inputValue);
    },
    onValueChange: ({ value: [value] }) => {
      if (value !== undefined) picked(value);
    },
  });
  const api = combobox.connect(service, normalizeProps);
  const { onKeyDown, ...input } = api.getInputProps();
  // Before the next key, which belongs into it.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(begin.length, begin.length);
  }, []);
  return (
    <div {...api.getRootProps()} class="picks">
      <div {...api.getControlProps()} class="field">
        {/* Under an id that Zag does not know: it would write the text back that it has, and drop what was typed meanwhile. */}
        <label {...api.getLabelProps()} htmlFor={id}>
          {label}
        </label>
        <input
          {...input}
          id={id}
          ref={field}
          // Zag would keep Escape from the dialog.
          onKeyDown={(event) => event.key !== "Escape" && onKeyDown?.(event)}
        />
      </div>
      <ul {...api.getContentProps()}>
        {picks.map((item) => (
          <li key={item.value} {...api.getItemProps({ item })}>
            <span>{item.name}</span>{" "}
            {item.about !== undefined && <span class="muted small">{item.about}</span>}
          </li>
        ))}
      </ul>
      {picks.length === 0 && <p class="muted">{none}</p>}
      {about !== undefined && <p class="muted small">{about}</p>}
    </div>
  );
}
