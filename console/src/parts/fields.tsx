import type { ComponentChildren, ComponentProps } from "preact";
import { useId } from "preact/hooks";

interface Described {
  label: string;
  /** A sentence below it. */
  hint?: string;
}

/** A line of text with its label. */
export function TextField({ label, hint, ...input }: Described & ComponentProps<"input">) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint}>
      <input id={id} autocomplete="off" {...input} aria-describedby={hint && `${id}hint`} />
    </Field>
  );
}

/** Several lines of text with their label. */
export function LinesField({ label, hint, ...input }: Described & ComponentProps<"textarea">) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint}>
      <textarea id={id} {...input} aria-describedby={hint && `${id}hint`} />
    </Field>
  );
}

/** One of several values, with its label; the options are its children. */
export function Choice({ label, hint, ...select }: Described & ComponentProps<"select">) {
  const id = useId();
  return (
    <Field id={id} label={label} hint={hint}>
      <select id={id} {...select} aria-describedby={hint && `${id}hint`} />
    </Field>
  );
}

/** The options of a choice among things with a name. */
export function NamedOptions({
  of: things = [],
  chosen,
}: {
  /** `undefined` until they are read. */
  of: readonly { readonly id: string; readonly name: string }[] | undefined;
  /** The id that is chosen at first; without one, the first option. */
  chosen?: string | null | undefined;
}) {
  return (
    <>
      {things.map(({ id, name }) => (
        <option key={id} value={id} selected={id === chosen}>
          {name}
        </option>
      ))}
    </>
  );
}

function Field({
  id,
  label,
  hint,
  children,
}: {
  id: string;
  label: string;
  hint: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <span id={`${id}hint`} class="muted small">
          {hint}
        </span>
      )}
    </div>
  );
}
