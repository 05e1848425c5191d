import { signal, type Signal } from "@preact/signals";

/** A set of names that this browser remembers. */
export interface Remembered {
  /** Read in a component, it is rendered again after each change. */
  has(name: string): boolean;
  toggle(name: string): void;
}

/** The names that are remembered under `key`, in this browser alone, one a line. */
export function remembered(key: string): Remembered {
  const stored = localStorage.getItem(key)?.split("\n").filter(Boolean);
  const names: Signal<ReadonlySet<string>> = signal(new Set(stored));
  return {
    has: (name) => names.value.has(name),
    toggle(name) {
      const next = new Set(names.value);
      if (!next.delete(name)) next.add(name);
      names.value = next;
      localStorage.setItem(key, [...next].join("\n"));
    },
  };
}
