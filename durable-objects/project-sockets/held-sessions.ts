/** A session that a terminal shows, or showed until recently. */
export interface HeldSession {
  /** Position after the output that was sent. */
  position: number;
  /** When the session is given up; null while a socket shows it. */
  until: number | null;
}

const PREFIX = "session:";

/** Sessions of terminals by their ids. Stored until they are over or given up. */
export class HeldSessions {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  get(id: string): HeldSession | undefined {
    return this.#kv.get<HeldSession>(PREFIX + id);
  }

  put(id: string, held: HeldSession): void {
    this.#kv.put(PREFIX + id, held);
  }

  delete(id: string): void {
    this.#kv.delete(PREFIX + id);
  }

  all(): (HeldSession & { id: string })[] {
    return [...this.#kv.list<HeldSession>({ prefix: PREFIX })].map(([key, held]) => ({
      ...held,
      id: key.slice(PREFIX.length),
    }));
  }
}
