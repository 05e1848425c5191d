import type { Db } from "#src/platform/db/client.ts";
import { PEOPLE, rowOf, teamOf, userOf, type Person } from "../people.ts";

/** Database work of the service: the statements of a request or a sweep. */
export interface Request {
  name: string;
  /** Runs the statements; `n` counts from 1, for statements that can change each row only once. */
  run(db: Db, n: number): PromiseLike<unknown>;
  /** Why a result without a page is bounded nevertheless. */
  isShort?: string;
  /**
   * Why the result grows with other people's rows: the caller asks for all of them, or for a count. There is then no
   * goal.
   */
  showsOthers?: string;
}

/** A signed-in person, and one of their keys. */
export function callersOf(person: Person) {
  const userId = userOf(person);
  const teamId = teamOf(person);
  const user = { kind: "user", userId, sessionId: rowOf(person, "session", 1), isSuperuser: false } as const;
  const key = {
    kind: "key",
    keyId: rowOf(person, "key", 1),
    userId,
    teamId,
    isApp: false,
    role: "editor",
    scopes: null,
    projectIds: null,
  } as const;
  return { userId, teamId, user, key };
}

/** The requests of each person. */
export function ofEachPerson(requestsOf: (person: Person) => Request[]): Request[] {
  return Object.entries(PEOPLE).flatMap(([who, person]) =>
    requestsOf(person).map((request) => ({ ...request, name: `${request.name}, ${who}` })),
  );
}
