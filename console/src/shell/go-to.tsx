import { useEffect, useMemo, useState } from "preact/hooks";
import { PickList, type Pick } from "../parts/pick-list.tsx";
import { useSidebar } from "../service/reads.ts";
import { workspace } from "../service/workspace.ts";
import { GROUPS, TABS } from "./places.ts";
import { NOT_SEARCHED, SEARCHED_IN_WORDS } from "./searched.ts";

/** Milliseconds after the last key before messages are searched. */
const PAUSE_MS = 250;
const MIN_SEARCHED = 3;
const NO_HITS: readonly Pick[] = [];
const PAGES = [...GROUPS.flatMap(({ places }) => places), { path: "/account", name: "Account" }];

export interface GoToProps {
  /** The project whose page is shown. */
  here: string | undefined;
  /** What was typed before this was there. */
  early: string;
  go: (address: string) => void;
}

/** Goes to any page, project or chat by its name, and to messages by what they say. */
export function GoTo({ here, early, go }: GoToProps) {
  const { data: tree } = useSidebar();
  const [text, setText] = useState(early);
  /** Of a query: those of an older one are not for Enter to pick. */
  const [found, setFound] = useState<{ of: string; hits: readonly Pick[]; about: string }>();
  const query = text.trim();
  const answer = found?.of === query ? found : undefined;
  const hits = answer?.hits ?? NO_HITS;
  const projects = tree?.projects ?? [];
  useEffect(() => {
    if (query.length < MIN_SEARCHED) return undefined;
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      workspace.chats.search({ q: query, limit: 20, shared: "true" }, { signal: leaving.signal }).then(
        (messages) =>
          setFound({
            of: query,
            hits: messages.map(({ chat_id, project_id, title, excerpt, message_id }) => ({
              value: `/projects/${project_id}/chats/${chat_id}${message_id === null ? "" : `#${message_id}`}`,
              name: title ?? "New chat",
              about: excerpt,
            })),
            about: SEARCHED_IN_WORDS,
          }),
        // The names that are known are shown all the same.
        () => {
          if (!leaving.signal.aborted) setFound({ of: query, hits: NO_HITS, about: NOT_SEARCHED });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [query]);
  const known = useMemo(
    () => [
      { value: "/", name: "Projects", about: "page" },
      { value: "/waiting", name: "Needs your input", about: "page" },
      { value: "/projects/new", name: "New project", about: "page" },
      ...(here === undefined
        ? []
        : TABS.map(({ path, name }) => ({
            value: `/projects/${here}${path}`,
            name,
            about: "in this project",
          }))),
      ...PAGES.map(({ path, name }) => ({ value: path, name, about: "page" })),
      ...projects.map(({ slug, name }) => ({ value: `/projects/${slug}`, name, about: "project" })),
      ...projects.flatMap(({ slug, name, chats }) =>
        chats.map(({ id, title }) => ({
          value: `/projects/${slug}/chats/${id}`,
          name: title ?? "New chat",
          about: `chat in ${name}`,
        })),
      ),
    ],
    [tree, here],
  );
  const picks = useMemo(() => [...matching(known, text), ...hits], [known, hits, text]);
  return (
    <PickList
      label="Search or jump to…"
      picks={picks}
      begin={early}
      picked={go}
      typed={setText}
      none={answer || query.length < MIN_SEARCHED ? "Nothing found." : "Searching messages…"}
      about={answer?.about}
    />
  );
}

const MAX_SHOWN = 50;

/** Those whose name has every word, those that begin with the text first. */
function matching(places: readonly Pick[], text: string): Pick[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  const found = places.filter(({ name, about = "" }) => {
    const all = `${name} ${about}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const [first = ""] = words;
  const rank = ({ name }: Pick) => (name.toLowerCase().startsWith(first) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_SHOWN);
}
