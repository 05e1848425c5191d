import path from "node:path";
import { createVitest, type Reporter, type TestCase, type TestModule, type Vitest } from "vitest/node";

/** Vitest in the folder of this process. It remains from one run of tests to the next, as making it takes longest. */
export class TestRun {
  readonly #vitest: Vitest;
  readonly #failures: Failures;

  private constructor(vitest: Vitest, failures: Failures) {
    this.#vitest = vitest;
    this.#failures = failures;
  }

  static async create(): Promise<TestRun> {
    const failures = new Failures();
    return new TestRun(
      await createVitest("test", { run: true, watch: false, reporters: [failures] }),
      failures,
    );
  }

  /** The test files that load a file. */
  async testsThatLoad(file: string): Promise<string[]> {
    this.#vitest.config.related = [path.resolve(file)];
    const found = await this.#vitest.getRelevantTestSpecifications();
    return [...new Set(found.map(({ moduleId }) => path.relative(".", moduleId)))];
  }

  /** Runs test files until a test fails, and returns its name. */
  async firstFailure(tests: readonly string[]): Promise<string | undefined> {
    const files = new Set(tests.map((test) => path.resolve(test)));
    delete this.#vitest.config.related;
    const known = await this.#vitest.globTestSpecifications();
    this.#failures.begin(() => void this.#vitest.cancelCurrentRun("test-failure"));
    const { unhandledErrors } = await this.#vitest.runTestSpecifications(
      known.filter(({ moduleId }) => files.has(moduleId)),
    );
    const [error] = unhandledErrors;
    return (
      this.#failures.first ??
      (error === undefined ? undefined : `an error outside of tests: ${wordsOf(error)}`)
    );
  }

  /** A file has another content now. */
  changed(file: string): void {
    this.#vitest.invalidateFile(path.resolve(file));
    this.#vitest.watcher.invalidates.add(path.resolve(file));
  }

  async close(): Promise<void> {
    await this.#vitest.close();
  }
}

/** Knows the first test that failed, and then ends the run. */
class Failures implements Reporter {
  first: string | undefined;
  #end: () => void = () => {};

  begin(end: () => void): void {
    this.first = undefined;
    this.#end = end;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === "failed") this.#note(`${fileOf(test.module)} > ${test.fullName}`);
  }

  onTestModuleEnd(module: TestModule): void {
    const [error] = module.errors();
    if (!module.ok()) this.#note(`${fileOf(module)} does not run: ${error?.message ?? "no reason"}`);
  }

  #note(failure: string): void {
    if (this.first !== undefined) return;
    this.first = failure;
    this.#end();
  }
}

function fileOf({ moduleId }: TestModule): string {
  return path.relative(".", moduleId);
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : JSON.stringify(error));
