import { sql } from "drizzle-orm";
import { users } from "./schema/index.ts";

/** A user's picture in lists: its address, not the picture itself, which may be half a megabyte for each row. */
export const pictureAddress = sql<
  string | null
>`CASE WHEN ${users.avatarUrl} LIKE 'data:%' THEN NULL ELSE ${users.avatarUrl} END`;
