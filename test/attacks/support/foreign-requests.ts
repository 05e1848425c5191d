import { eq, sql } from "drizzle-orm";
import { expect, vi } from "vitest";
import { sessions } from "#src/db/schema/index.ts";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { signedIn } from "#test/support/browser.ts";
import { databaseOf } from "#test/support/database.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import { some } from "#test/support/draw.ts";
import { newSharedEstate, type Estate } from "#test/surface/estate.ts";
import type { Document, Operation } from "#test/surface/operations.ts";
import { namesFor, namesOf, slotsOf, unusedLike, worded, type Wording } from "./foreign-names.ts";
import { rowsOf } from "./rows-of.ts";

type Send = (operation: Operation, wording: Wording) => Promise<ApiAnswer<unknown>>;

export interface ForeignRequests {
  /**
   * What responses to the caller's own request reveal when one place after the other names the victim's resources, compared with
   * unused ids. Empty when nothing is revealed.
   */
  faultsByPlace(operation: Operation, own: Estate): Promise<unknown[]>;
  /** The same of the victim's request, sent by a stranger: by each kind of credentials in a long run, else by one of them. */
  faultsByCaller(operation: Operation): Promise<unknown[]>;
  /** The victim's rows, and what the victim reads in the project. */
  holdings(): Promise<unknown>;
}

/** A request for another person's background task gets 403 instead of 404, as in the existing API. */
const TOLD = /^(GET|DELETE) \/api\/tasks\/\{background_task\}/u;

/** Makes a victim with something of every kind, and a stranger who has nothing to do with it. */
export async function foreignRequests(service: SharedService, document: Document): Promise<ForeignRequests> {
  const victim = await newSharedEstate(service);
  const stranger = await service.signUp("stranger");
  const { id: project } = await service.newProject(stranger.token);
  const { key } = await service.newKey(stranger.token);
  const { key: bound } = await service.newKey(stranger.token, project);
  const { who: page } = await signedIn(service, stranger);
  const { body: csrf } = await page.call<{ csrf_token: string }>("GET", "/api/auth/csrf");
  const headers = { "x-csrf-token": csrf.csrf_token };
  const db = databaseOf(service);
  await untilDone(service, victim);

  const withToken =
    (token: string): Send =>
    ({ method }, { address, json }) =>
      service.call(method, address, { token, ...(json && { json }) });
  const withCookie: Send = ({ method }, { address, json }) =>
    page.call(method, address, { headers, ...(json && { json }) });
  const strangers: { way: string; admits: "keys" | "person"; call: Send }[] = [
    { way: "a stranger's cookie", admits: "person", call: withCookie },
    { way: "a stranger's key", admits: "keys", call: withToken(key) },
    { way: "a stranger's key for one project", admits: "keys", call: withToken(bound) },
  ];

  const own = namesOf(victim);
  const read = async (path: string) => (await service.call("GET", path, { token: victim.owner.token })).text;
  const { slug }: { slug: string } = JSON.parse(await read(`/api/projects/${own["project"]}`));
  /** The names of the victim's resources, by the name of the parameter that takes them. */
  const names: Readonly<Record<string, string>> = { ...own, project_slug: slug };

  /** What a response reveals, without the names that were sent. Of a success, only the status and leaked names count. */
  function toldBy({ status, text }: ApiAnswer<unknown>, sent: readonly string[]): string {
    const rest = sent.reduce((all, name) => all.replaceAll(name, "«name»"), text);
    const leaked = Object.values(names).filter((name) => rest.includes(name));
    return `${status} ${status < 300 ? leaked.join() : rest}`;
  }

  /** Where the responses differ, the request with unused ids is repeated: what succeeded once may conflict afterwards. */
  async function revealed(
    { name }: Operation,
    sent: readonly string[],
    ask: (names: readonly string[]) => ReturnType<Send>,
  ) {
    const unused = sent.map(unusedLike);
    const control = toldBy(await ask(unused), unused);
    const told = toldBy(await ask(sent), sent);
    if (told === control || (TOLD.test(name) && told.startsWith("403"))) return [];
    const again = toldBy(await ask(unused), unused);
    return told === again ? [] : [{ told, control }];
  }

  /** In turn, each place of the caller's own request names a resource of the victim. */
  async function faultsByPlace(operation: Operation, { owner, key: ownKey, samples }: Estate) {
    const call = withToken(operation.person ? owner.token : ownKey);
    const faults: unknown[] = [];
    for (const slot of slotsOf(document, operation)) {
      for (const name of namesFor(slot, names)) {
        const found = await revealed(operation, [name], ([value = ""]) =>
          call(operation, worded(document, operation, samples, { slot, value })),
        );
        faults.push(...found.map((fault) => [slot.in, slot.trail.join(".") || slot.name, name, fault]));
      }
    }
    return faults;
  }

  /** Every place of the request names a resource of the victim. */
  async function faultsByCaller(operation: Operation) {
    const faults: unknown[] = [];
    const admitted = strangers.filter(({ admits }) => operation[admits]);
    for (const { way, call } of some(admitted, 1, operation.name.length)) {
      const found = await revealed(operation, Object.values(names), (sent) => {
        const named = Object.fromEntries(Object.keys(names).map((kind, place) => [kind, sent[place]]));
        return call(operation, worded(document, operation, { ...victim.samples, ...named }));
      });
      faults.push(...found.map((fault) => [way, fault]));
    }
    return faults;
  }

  /** Administrators of the installation may name every resource; the table of access tests that no other caller may. */
  const isAbout = (operation: Operation) =>
    !operation.isPublic &&
    operation.permission !== "superuser" &&
    slotsOf(document, operation).some((slot) => namesFor(slot, names).length > 0);

  const holdings = async () => {
    // A container may name any template as the one it was made from, and every job names its kind: nothing is read by either.
    const { base: _base, job_kind: _kind, ...others } = names;
    const id = names["project"];
    return {
      rows: await rowsOf(db, Object.values(others)),
      files: await read(`/api/projects/${id}/files/tree`),
      file: await read(`/api/projects/${id}/files/${String(victim.samples["path"])}`),
      snapshots: await read(`/api/projects/${id}/snapshots`),
      shell: await read(`/api/shell/sessions/${names["shell"]}`),
    };
  };
  // A session's row says when it was used, as of the last minute: the looks below must not change it after it was read.
  await db
    .update(sessions)
    .set({ lastUsedAt: sql`now()` })
    .where(eq(sessions.userId, victim.owner.id));

  return {
    faultsByPlace: async (operation, caller) => (isAbout(operation) ? faultsByPlace(operation, caller) : []),
    faultsByCaller: async (operation) => (isAbout(operation) ? faultsByCaller(operation) : []),
    holdings,
  };
}

/** Waits for what the making of an estate leaves under way: its task, and the end of a project that was deleted. */
async function untilDone(service: SharedService, { owner, samples }: Estate): Promise<void> {
  const [task, deletion] = [String(samples["task"]), String(samples["background_task"])];
  const statusAt = async (path: string) =>
    (await service.call<{ status: string }>("GET", path, { token: owner.token })).body.status;
  await vi.waitFor(async () => {
    expect(await statusAt(`/api/chat/agent/status/${task}`)).toBe("completed");
    expect(await statusAt(`/api/tasks/${deletion}`)).toBe("completed");
  });
}
