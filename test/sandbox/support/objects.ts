import { ProjectSandbox } from "#durable-objects/project-sandbox/index.ts";

export { ProjectSandbox };

interface Bindings {
  PROJECT_SANDBOX: DurableObjectNamespace<ProjectSandbox>;
  /** What the path of a request must begin with: on an account, others could make one as well. */
  TEST_TOKEN: string;
}

/** The objects themselves, at `/<token>/projects/<id>/…`, as the runtime host of a machine serves its projects. */
// oxlint-disable-next-line import/no-default-export -- what a Worker is
export default {
  fetch(request, { PROJECT_SANDBOX, TEST_TOKEN }) {
    const { pathname, search } = new URL(request.url);
    const [, token, , id = "", ...rest] = pathname.split("/");
    if (!TEST_TOKEN || token !== TEST_TOKEN || id === "") return new Response(null, { status: 404 });
    const url = `http://project-sandbox/${rest.join("/")}${search}`;
    return PROJECT_SANDBOX.getByName(id).fetch(new Request(url, request));
  },
} satisfies ExportedHandler<Bindings>;
