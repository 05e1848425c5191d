import type { ComponentChildren } from "preact";

interface FilterProps {
  /** The word of its button. */
  submit: string;
  narrow: (form: FormData) => void;
  children: ComponentChildren;
}

/** The form above a list that narrows it; its fields are its children. */
export function Filter({ submit, narrow, children }: FilterProps) {
  return (
    <form
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        narrow(new FormData(event.currentTarget));
      }}
    >
      {children}
      <button type="submit">{submit}</button>
    </form>
  );
}

/** A choice of a list's state, which narrows it at once. */
export function StateFilter<State extends string>({
  label,
  states,
  narrow,
}: {
  label: string;
  /** What is chosen, and what it is called. */
  states: Readonly<Record<State, string>>;
  /** Called without one for all. */
  narrow: (state: State | undefined) => void;
}) {
  const isState = (text: string): text is State => text in states;
  return (
    <label class="field">
      {label}
      <select onChange={({ currentTarget: { value } }) => narrow(isState(value) ? value : undefined)}>
        <option value="">All</option>
        {Object.entries<string>(states).map(([state, name]) => (
          <option key={state} value={state}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
