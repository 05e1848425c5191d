import type { ProjectSocketsObject } from "#durable-objects/project-sockets/protocol.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Trips } from "#src/platform/trips.ts";
import { joined } from "#src/wire/changed-paths.ts";

/** Tells the open sockets of projects that files have changed. */
export interface FileChanges {
  /**
   * Announces changes of a project's files: their paths, or null if any file may have changed. Returns at once; a
   * failure is logged, because clients read again when they reconnect.
   */
  announce(projectId: string, paths: readonly string[] | null): void;
  /** Resolves when all that was announced so far is sent; undefined if nothing is under way. */
  sent(): Promise<void> | undefined;
}

/** Sends through `ProjectSockets`, one call at a time: what is announced during a call is sent with the next one. */
export function fileChanges(
  namespace: DurableObjectNamespace<ProjectSocketsObject>,
  trips: Trips,
  log: Log,
): FileChanges {
  /** By project: what waits for the call that is under way. */
  const waiting = new Map<string, readonly string[] | null | undefined>();
  const sending = new Map<string, Promise<void>>();

  async function send(projectId: string, first: readonly string[] | null): Promise<void> {
    try {
      for (let paths: typeof first | undefined = first; paths !== undefined;) {
        trips.objects += 1;
        await namespace.getByName(projectId).filesChanged(paths);
        paths = waiting.get(projectId);
        waiting.delete(projectId);
      }
    } catch (cause) {
      log.warn("a change of files was not announced", { project_id: projectId, cause });
    } finally {
      waiting.delete(projectId);
      sending.delete(projectId);
    }
  }

  return {
    announce(projectId, paths) {
      if (sending.has(projectId)) waiting.set(projectId, joined(waiting.get(projectId), paths));
      else sending.set(projectId, send(projectId, joined(undefined, paths)));
    },
    sent() {
      return sending.size === 0 ? undefined : Promise.all(sending.values()).then(() => undefined);
    },
  };
}
