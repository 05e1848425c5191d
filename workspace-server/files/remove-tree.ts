import { chmod, lstat, readdir, rm, rmdir, unlink } from "node:fs/promises";

const SLASH = Buffer.from("/");

/** Remove an entry with all it holds; one that is gone is fine. Directories that forbid it and names of any bytes go too. */
export async function removeTree(absolute: string): Promise<void> {
  try {
    await rm(absolute, { recursive: true, force: true });
  } catch {
    await removeStubborn(Buffer.from(absolute));
  }
}

async function removeStubborn(path: Buffer): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return;
  if (!stats.isDirectory()) return unlink(path);
  await chmod(path, 0o700);
  for (const name of await readdir(path, { encoding: "buffer" })) {
    await removeStubborn(Buffer.concat([path, SLASH, name]));
  }
  await rmdir(path);
}
