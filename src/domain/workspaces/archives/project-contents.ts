import type {
  EntryWithContent,
  InventoryEntry,
  ProjectStorage,
} from "#src/platform/runtime/project-storage.ts";

/** What a project holds for others to have: all but what the runtime keeps among the files for itself. */
export async function projectContents(runtime: Pick<ProjectStorage, "inventory" | "readEntries">): Promise<{
  entries: InventoryEntry[];
  read(): Promise<AsyncIterable<EntryWithContent>>;
}> {
  const entries = (await runtime.inventory()).filter(({ path }) => !path.startsWith(".workspace-"));
  return { entries, read: () => runtime.readEntries(entries.map(({ path }) => path)) };
}
