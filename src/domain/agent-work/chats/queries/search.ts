import { sql } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { isListed, type ChatFilter } from "./chats.ts";
import type { MessagePlace } from "./messages.ts";

/**
 * How much a search reads: the titles of so many chats, those last used; of so many of them so many messages each, the
 * newest; of a message so many characters.
 */
export const SEARCHED = { titles: 1_000, chats: 200, messages: 100, characters: 5_000 } as const;

/** Most characters of an excerpt, and how many of them come before the hit. */
const EXCERPT = 200;
const BEFORE_HIT = 60;

/** A message with the text, or a chat with the text in its title. */
export interface SearchHit {
  /** Of the message or the chat; orders the hits by when it began. */
  id: string;
  chatId: string;
  projectId: string;
  title: string | null;
  /** Null for a title. */
  place: MessagePlace | null;
  excerpt: string;
  createdAt: Date;
}

interface Row extends Record<string, unknown> {
  id: string;
  chatId: string;
  projectId: string;
  title: string | null;
  seq: number | null;
  role: MessagePlace["role"] | null;
  excerpt: string;
  createdAt: string;
}

/**
 * Titles and messages that have a text, of a person's chats or, with the filter's `withShared`, also of those shared with the person, in any case, newest first; at most `limit`, those before a hit.
 * Chats are found by their person and messages by their chat, in the order of the index, within the bounds of `SEARCHED`:
 * the cost is bounded without an index of words.
 */
export async function searchOf(
  db: Db,
  filter: ChatFilter,
  { text, limit, before }: { text: string; limit: number; before?: string | undefined },
): Promise<SearchHit[]> {
  const margin = Math.min(BEFORE_HIT, Math.max(0, EXCERPT - text.length));
  const isEarlier = before === undefined ? sql`true` : sql`id < ${before}::uuid`;
  const result = await db.execute<Row>(sql`
    WITH wanted AS (SELECT lower(${text}::text) AS text), own AS MATERIALIZED (
      SELECT chats.id, chats.project_id, chats.title, chats.created_at,
        row_number() OVER (ORDER BY coalesce(chats.updated_at, chats.created_at) DESC, chats.id DESC) AS nth
      FROM chats
      WHERE ${isListed(filter)}
      ORDER BY nth LIMIT ${SEARCHED.titles}::int
    ), searched AS (
      SELECT id, id AS chat_id, project_id, title, NULL::int AS seq, NULL::text AS role, title AS content, created_at FROM own
      UNION ALL
      SELECT m.id, own.id, own.project_id, own.title, m.seq, m.role, m.content, m.created_at
      FROM own, LATERAL (
        SELECT newest.id, newest.seq, newest.role, newest.created_at,
          left(newest.content, ${SEARCHED.characters}::int) AS content
        FROM messages AS newest WHERE newest.chat_id = own.id
        ORDER BY newest.seq DESC, newest.role LIMIT ${SEARCHED.messages}::int
      ) AS m
      WHERE own.nth <= ${SEARCHED.chats}::int
    ), hits AS (
      SELECT searched.*, strpos(lower(searched.content), wanted.text) AS at FROM searched, wanted
      WHERE ${isEarlier} AND strpos(lower(searched.content), wanted.text) > 0
      ORDER BY id DESC LIMIT ${limit}::int
    )
    SELECT id, chat_id AS "chatId", project_id AS "projectId", title, seq, role, created_at AS "createdAt",
      substr(content, greatest(1, at - ${margin}::int), ${EXCERPT}::int) AS excerpt
    FROM hits ORDER BY id DESC`);
  return result.rows.map(({ seq, role, createdAt, ...row }) => ({
    ...row,
    place: seq === null || role === null ? null : { seq, role },
    createdAt: new Date(createdAt),
  }));
}
