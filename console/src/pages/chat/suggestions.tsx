import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ranked } from "../../parts/files/ranked.ts";
import { shownPath } from "../../parts/shown-path.ts";
import { useTree } from "../../parts/files/tree.ts";
import type { Command } from "./commands.ts";
import type { Completion } from "./completion.ts";

const MAX_FILES = 8;

/** Something that can be chosen instead of writing it. */
export interface Suggestion {
  readonly name: string;
  readonly about: string;
  /** What takes the place of what was written; undefined for a command, which is run. */
  readonly text: string | undefined;
  readonly run: () => void;
}

/** What can be chosen now, and what of it is marked. */
export interface Suggestions {
  readonly found: readonly Suggestion[];
  readonly marked: Suggestion | undefined;
  readonly move: (by: number) => void;
}

/** What fits to what was written. The files are read with the first `@`. */
export function useSuggestions(
  project: string,
  completion: Completion | undefined,
  commands: readonly Command[],
): Suggestions {
  const isOfFiles = completion?.kind === "file";
  const { data: tree } = useTree(project, isOfFiles);
  const [place, setPlace] = useState(0);
  const query = completion?.query ?? "";
  useEffect(() => setPlace(0), [completion?.kind, query]);
  const files = useMemo(() => tree?.files.flatMap(({ path, is_dir }) => (is_dir ? [] : [path])), [tree]);
  const found = useMemo(() => {
    if (completion?.kind === "file") return filesLike(files ?? [], query);
    return completion ? commandsLike(commands, query) : [];
  }, [completion?.kind, query, files, commands]);
  const at = Math.min(place, found.length - 1);
  return {
    found,
    marked: found[at],
    move: (by) => setPlace((at + by + found.length) % Math.max(1, found.length)),
  };
}

function filesLike(files: readonly string[], query: string): readonly Suggestion[] {
  return ranked(files, query, MAX_FILES).map((path) => ({
    name: shownPath(path),
    about: "",
    // Words end at a space: such a path is quoted.
    text: /\s/u.test(path) ? `\`${path}\`` : path,
    run: () => {},
  }));
}

function commandsLike(commands: readonly Command[], query: string): readonly Suggestion[] {
  return commands
    .filter(({ name }) => name.startsWith(query))
    .map(({ name, about, run }) => ({ name: `/${name}`, about, text: undefined, run }));
}

/** The list above the field; the field keeps the focus. */
export function SuggestionList({
  id,
  suggestions: { found, marked },
  pick,
}: {
  id: string;
  suggestions: Suggestions;
  pick: (picked: Suggestion) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return (
    <ul id={id} class="suggestions" role="listbox" aria-label="Suggestions" ref={list}>
      {found.map((each, index) => (
        <li
          key={each.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={each === marked}
          // Before the field would lose the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            pick(each);
          }}
        >
          <span class="name">{each.name}</span> <span class="muted small">{each.about}</span>
        </li>
      ))}
    </ul>
  );
}
