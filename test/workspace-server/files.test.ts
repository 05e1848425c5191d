import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ProjectFiles } from "../../workspace-server/files/project-files.ts";
import { ProjectPaths } from "../../workspace-server/files/project-paths.ts";

async function* empty(): AsyncGenerator<never> {}

describe("files written at once", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "project-files-")));
  afterEach(() => rm(root, { recursive: true, force: true }));

  it("never take the place of what is still being made from one another", async () => {
    const files = new ProjectFiles(new ProjectPaths(root));
    const writeMany = async (writer: number) => {
      for (let index = 0; index < 250; index += 1) await files.write(`${writer}/${index}`, empty(), 1);
    };
    await Promise.all([1, 2, 3].map(writeMany));
    const entries = await files.list("", { recursive: true, exclude: [] });
    expect(entries.filter((entry) => entry.kind === "file")).toHaveLength(750);
    expect(entries).toHaveLength(753);
  });
});
