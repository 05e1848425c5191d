/**
 * The browser that the files of a worker share. It has six processes and 80 MiB, so it ends before a file whose predecessor opened
 * nothing in it; most often the next file of a folder has one again. Between two files, because the processor time of its
 * processes is no longer counted once they have ended (`core-seconds.ts`).
 */
export const shared: { isUsed: boolean; end: (() => Promise<void>) | undefined } = {
  isUsed: false,
  end: undefined,
};

export async function endUnusedBrowser(): Promise<void> {
  if (!shared.isUsed) {
    await shared.end?.();
    shared.end = undefined;
  }
  shared.isUsed = false;
}
