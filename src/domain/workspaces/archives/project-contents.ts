import type {
  EntryWithContent,
  InventoryEntry,
  ProjectStorage,
} from "#src/platform/runtime/project-storage.ts";

/** A project's contents for archives and templates: all files except those that the runtime keeps for itself. */
export async function projectContents(runtime: Pick<ProjectStorage, "inventory" | "readEntries">): Promise<{
  entries: InventoryEntry[];
  read(): Promise<AsyncIterable<EntryWithContent>>;
}> {
  const entries = (await runtime.inventory()).filter(({ path }) => !path.startsWith(".workspace-"));
  return { entries, read: () => runtime.readEntries(entries.map(({ path }) => path)) };
}
