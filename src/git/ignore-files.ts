import type { Repository } from "./repository.ts";

type Files = Repository["at"]["fs"];

/** The files with git's ignore rules. */
const IGNORE_FILE = /\/(?:\.gitignore|\.git\/info\/exclude)$/u;

/**
 * Returns the same files with a cache of ignore files: isomorphic-git reads all applicable ones again for every path,
 * which is most of the work in a large tree. For one walk without concurrent writes.
 */
export function rememberingIgnoreFiles({ promises }: Files): Files {
  const { readFile, stat } = promises;
  return {
    promises: { ...promises, readFile: remembered(readFile), stat: remembered(stat) },
  };
}

/** Caches results and failures by path and options. */
function remembered<Options extends readonly unknown[], T>(
  read: (path: string, ...options: Options) => Promise<T>,
): (path: string, ...options: Options) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (path, ...options) => {
    if (!IGNORE_FILE.test(path)) return read(path, ...options);
    const key = JSON.stringify([path, ...options]);
    const answer = answers.get(key) ?? read(path, ...options);
    answers.set(key, answer);
    return answer;
  };
}
