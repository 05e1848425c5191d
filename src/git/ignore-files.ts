import type { Repository } from "./repository.ts";

type Files = Repository["at"]["fs"];

/** The files in which repositories say what git is to pass over. */
const IGNORE_FILE = /\/(?:\.gitignore|\.git\/info\/exclude)$/u;

/**
 * The same files, with those that say what is ignored read once: isomorphic-git reads all that may apply anew for every path,
 * which is most of the work in a tree of many files. For one walk through files that nothing is written to meanwhile.
 */
export function rememberingIgnoreFiles({ promises }: Files): Files {
  const { readFile, stat } = promises;
  return {
    promises: { ...promises, readFile: remembered(readFile), stat: remembered(stat) },
  };
}

/** Answers, or failures, by path and what was asked for besides. */
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
