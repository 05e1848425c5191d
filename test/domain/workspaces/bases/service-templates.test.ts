import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { bases } from "#src/db/schema/index.ts";
import { entriesOf, SERVICE_TEMPLATES } from "#src/domain/workspaces/bases/service-templates/index.ts";
import { fileDatabase } from "#test/support/database.ts";

const database = await fileDatabase();

describe("the templates of the service's own", () => {
  it("are those whose rows say so, with their number of files and bytes", async () => {
    const rows = await database.db.select().from(bases).where(eq(bases.source, "service"));
    const counted = await Promise.all(
      SERVICE_TEMPLATES.map(async (template) => {
        const entries = (await Array.fromAsync(entriesOf(template))).map(({ entry }) => entry);
        const sizes = entries.flatMap(({ kind, size }) => (kind === "file" ? [size] : []));
        return { id: template.id, fileCount: sizes.length, totalBytes: sizes.reduce((a, b) => a + b, 0) };
      }),
    );
    const shown = rows.map(({ id, fileCount, totalBytes }) => ({ id, fileCount, totalBytes }));
    expect(shown.toSorted(byId)).toEqual(counted.toSorted(byId));
  });

  it("have each folder before what is in it", async () => {
    for (const template of SERVICE_TEMPLATES) {
      const paths = (await Array.fromAsync(entriesOf(template))).map(({ entry }) => entry.path);
      const early = paths.filter((path, place) => {
        const folder = path.split("/").slice(0, -1).join("/");
        return folder !== "" && !paths.slice(0, place).includes(folder);
      });
      expect(early).toEqual([]);
      expect(new Set(paths).size).toBe(paths.length);
    }
  });
});

const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id);
