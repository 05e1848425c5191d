import { AppError } from "#src/lib/errors.ts";

/** Longest list, in characters of JSON. */
const MAX_LIST = 1024 * 1024;

/** The to-do list of each chat's agent. */
export class TodoLists {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  read(chatId: string): string | undefined {
    return this.#sql.exec<{ list: string }>("SELECT list FROM todos WHERE chat_id = ?", chatId).toArray()[0]
      ?.list;
  }

  write(chatId: string, list: string): void {
    if (list.length > MAX_LIST) throw new AppError("too_large", "The to-do list is too long");
    this.#sql.exec("INSERT OR REPLACE INTO todos (chat_id, list) VALUES (?, ?)", chatId, list);
  }
}
