import { execFileSync } from "node:child_process";
import path from "node:path";
import { journeysOf, OVER_EVERYTHING, WHOLE_WAY } from "../support/tests-of-files.ts";

/** Test files that run together. */
export interface Stage {
  tests: string[];
  /** Whether they start the service, or workerd, from the tree: a run that has begun has the tree of its beginning. */
  startsService: boolean;
}

/** Folders of tests over everything that are worth their time where nothing nearer has noticed a fault. */
const LAST = ["attacks", "surface", "durable-objects", "workerd"];
const IN_WORKERD = ["durable-objects", "workerd"];
const OVER_HTTP = ["attacks", "cli", "guide", "journeys", "sdk", "surface"];

/**
 * The tests that could notice a fault in a file, nearest first: those with its name, those of its folder, those of its area, all
 * others that load it, the journeys of its area, and those over the whole service. `related` are the tests that load the file.
 */
export function stagesOf(file: string, related: readonly string[]): Stage[] {
  const nearest = Math.max(1, ...related.map((test) => sharedFolders(file, test)));
  const usual = related.filter((test) => !isIn(OVER_EVERYTHING, test) && !isIn(OVER_HTTP, test));
  const stages: Stage[] = [
    { tests: usual.filter((test) => hasItsName(file, test)), startsService: false },
    { tests: usual.filter((test) => sharedFolders(file, test) === nearest), startsService: false },
    { tests: usual.filter((test) => sharedFolders(file, test) > 1), startsService: false },
    {
      tests: related.filter((test) => isIn(IN_WORKERD, test) && sharedFolders(file, test) > 0),
      startsService: true,
    },
    {
      // Of `hosts` and `local`, whose tests start servers of the tree.
      tests: related.filter((test) => isIn(OVER_EVERYTHING, test) && sharedFolders(file, test) > 0),
      startsService: true,
    },
    { tests: usual, startsService: false },
    { tests: [...namedAfter(file), ...journeysOf([file])], startsService: true },
    {
      tests: [
        WHOLE_WAY,
        ...testsIn("test/attacks", "test/surface"),
        ...related.filter((test) => isIn(LAST, test) || isIn(OVER_HTTP, test)),
      ],
      startsService: true,
    },
  ];
  const seen = new Set<string>();
  return stages
    .map((stage) => ({ ...stage, tests: stage.tests.filter((test) => !seen.has(test) && seen.add(test)) }))
    .filter(({ tests }) => tests.length > 0);
}

/** Whether a test is called like the file, or like its folder where the file is one of several queries. */
function hasItsName(file: string, test: string): boolean {
  const names = file.replace(/\.ts$/u, "").split("/").slice(-3);
  const own = GENERAL.has(names.at(-1) ?? "") || GENERAL.has(names.at(-2) ?? "") ? names : names.slice(-1);
  return own.some((name) => !GENERAL.has(name) && path.basename(test, ".test.ts") === name);
}

/** How many folders a file and a test have in common, from the top. */
function sharedFolders(file: string, test: string): number {
  const [of = [], at = []] = [file, test].map((each) =>
    path
      .dirname(each)
      .replace(/^(?:src|test)\//u, "")
      .split("/"),
  );
  const firstOther = of.findIndex((name, index) => name !== at[index]);
  return firstOther === -1 ? of.length : firstOther;
}

/** The first of these stages, which takes the least time: the tests of the file's folder and area. */
export function nearestStages(file: string): Stage[] {
  // `domain` is no area.
  const least = file.startsWith("src/domain/") ? 2 : 1;
  const near = testsIn("test").filter(
    (test) => sharedFolders(file, test) >= least && !isIn(OVER_EVERYTHING, test) && !isIn(OVER_HTTP, test),
  );
  return stagesOf(file, near)
    .filter(({ startsService }) => !startsService)
    .slice(0, 3);
}

/** Folders whose names are no subject of a journey. */
const GENERAL = new Set(["src", "domain", "platform", "queries", "objects", "lib", "index"]);

/** Journeys and attacks that have the name of one of the file's folders in their own. */
function namedAfter(file: string): string[] {
  const subjects = path
    .dirname(file)
    .split("/")
    .filter((folder) => !GENERAL.has(folder))
    .map((folder) => folder.replace(/s$/u, ""));
  return testsIn("test/journeys", "test/attacks").filter((test) =>
    subjects.some((subject) => path.basename(test).includes(subject)),
  );
}

function isIn(folders: readonly string[], test: string): boolean {
  return folders.some((folder) => test.startsWith(`test/${folder}/`));
}

function testsIn(...folders: string[]): string[] {
  return execFileSync("git", ["ls-files", ...folders], {
    cwd: path.resolve(import.meta.dirname, "../.."),
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file.endsWith(".test.ts"));
}
