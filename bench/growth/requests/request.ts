import type { Db } from "#src/platform/db/client.ts";
import { PEOPLE, rowOf, teamOf, userOf, type Person } from "../people.ts";

/** Something the service asks of the database: a request's statements, or those of a sweep. */
export interface Request {
  name: string;
  /** As the service asks it; `n` counts from 1, for what can be done to each row but once. */
  run(db: Db, n: number): PromiseLike<unknown>;
  /** Why an answer without a page is short all the same. */
  isShort?: string;
  /**
   * Why the answer grows with what others have: the caller is shown it, and has asked for no page, or for a count. Nothing is
   * demanded of it.
   */
  showsOthers?: string;
}

/** A person who is signed in, and one of their keys. */
export function callersOf(person: Person) {
  const userId = userOf(person);
  const teamId = teamOf(person);
  const user = { kind: "user", userId, sessionId: rowOf(person, "session", 1), isSuperuser: false } as const;
  const key = {
    kind: "key",
    keyId: rowOf(person, "key", 1),
    userId,
    teamId,
    role: "editor",
    scopes: null,
    projectIds: null,
  } as const;
  return { userId, teamId, user, key };
}

/** The same requests of each person. */
export function ofEachPerson(requestsOf: (person: Person) => Request[]): Request[] {
  return Object.entries(PEOPLE).flatMap(([who, person]) =>
    requestsOf(person).map((request) => ({ ...request, name: `${request.name}, ${who}` })),
  );
}
