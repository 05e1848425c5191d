import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { useRef, useState } from "preact/hooks";
import { useAction, type Action } from "../../parts/use-action.ts";
import { keys } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { withEarlier, withNewest, type ChatHistory } from "./history.ts";

/** Messages of one page. Long results are cut; a tool line fetches its own when it is opened. */
const PAGE = 40;

async function read(chat: string, cursor: string | undefined, signal?: AbortSignal): Promise<ChatHistory> {
  let next: string | null = null;
  const query = { limit: PAGE, results: "short" as const, ...(cursor !== undefined && { cursor }) };
  const messages = await workspace.chats.messages(chat, query, {
    signal,
    onResponse: ({ headers }) => {
      next = headers.get("x-next-cursor");
    },
  });
  return { messages, cursor: next ?? undefined };
}

/** The history of a chat: its newest page, and as many before it as a person has asked for. */
export function useHistory(chat: string): {
  newest: UseQueryResult<ChatHistory>;
  history: ChatHistory | undefined;
  /** Reads the page before. */
  earlier: Action<[]>;
  /** Reads the newest page again, unless that was asked for after a moment. */
  readSince: (moment: number) => void;
} {
  const askedAt = useRef(0);
  const newest = useQuery({
    queryKey: keys.messages(chat),
    queryFn: ({ signal }) => {
      askedAt.current = Date.now();
      return read(chat, undefined, signal);
    },
    // While no page of the project was shown, nothing told of new messages.
    staleTime: 0,
  });
  const known = useRef<{ of: ChatHistory; history: ChatHistory }>();
  if (newest.data && newest.data !== known.current?.of) {
    known.current = { of: newest.data, history: withNewest(known.current?.history, newest.data) };
  }
  const [, shown] = useState(0);
  const earlier = useAction(async () => {
    for (;;) {
      const cursor = known.current?.history.cursor;
      if (cursor === undefined) return;
      const page = await read(chat, cursor); // oxlint-disable-line no-await-in-loop
      // The newest page may have been read again meanwhile, and begin elsewhere: then another page is before it.
      if (known.current?.history.cursor !== cursor) continue;
      known.current.history = withEarlier(known.current.history, page);
      shown((count) => count + 1);
      return;
    }
  });
  const readSince = (moment: number) => {
    if (askedAt.current <= moment) void newest.refetch();
  };
  return { newest, history: known.current?.history, earlier, readSince };
}
