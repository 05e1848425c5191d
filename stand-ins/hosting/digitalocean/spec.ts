import { z } from "zod";

const Name = z.string().regex(/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/u, "must match ^[a-z][a-z0-9-]{0,30}[a-z0-9]$");

const Variable = z.strictObject({
  key: z.string().regex(/^[_A-Za-z]\w*$/u, "must match ^[_A-Za-z][_A-Za-z0-9]*$"),
  value: z.string().optional(),
  scope: z.enum(["UNSET", "RUN_TIME", "BUILD_TIME", "RUN_AND_BUILD_TIME"]).optional(),
  type: z.enum(["GENERAL", "SECRET"]).optional(),
});

const HostedSource = z.strictObject({
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/u, "must be owner/repo"),
  branch: z.string().min(1),
  deploy_on_push: z.boolean().optional(),
});

/** models/app_component_base.yml: what all components have. */
const COMPONENT = {
  name: Name,
  git: z.strictObject({ repo_clone_url: z.url(), branch: z.string().min(1) }).optional(),
  github: HostedSource.optional(),
  gitlab: HostedSource.optional(),
  bitbucket: HostedSource.optional(),
  image: z.looseObject({}).optional(),
  dockerfile_path: z.string().optional(),
  build_command: z.string().optional(),
  run_command: z.string().optional(),
  source_dir: z.string().optional(),
  envs: z.array(Variable).optional(),
  environment_slug: z.string().optional(),
  log_destinations: z.array(z.looseObject({})).optional(),
  routes: z.array(z.looseObject({})).optional(),
  cors: z.looseObject({}).optional(),
};

/** models/app_static_site_spec.yml */
const StaticSite = z.strictObject({
  ...COMPONENT,
  index_document: z.string().optional(),
  error_document: z.string().optional(),
  catchall_document: z.string().optional(),
  output_dir: z.string().optional(),
});

/** models/app_service_spec.yml */
const Service = z.strictObject({
  ...COMPONENT,
  http_port: z.int().min(1).max(65_535).optional(),
  internal_ports: z.array(z.int()).optional(),
  instance_count: z.int().min(1).optional(),
  instance_size_slug: z.string().optional(),
  autoscaling: z.looseObject({}).optional(),
  health_check: z.looseObject({}).optional(),
  liveness_health_check: z.looseObject({}).optional(),
  protocol: z.enum(["HTTP", "HTTP2"]).optional(),
  termination: z.looseObject({}).optional(),
});

/** models/app_spec.yml. The stand-in takes one component, which is what it can serve. */
export const AppSpec = z
  .strictObject({
    name: Name,
    region: z.string().optional(),
    envs: z.array(Variable).optional(),
    domains: z.array(z.looseObject({})).optional(),
    services: z.array(Service).optional(),
    static_sites: z.array(StaticSite).optional(),
    jobs: z.array(z.looseObject({})).optional(),
    workers: z.array(z.looseObject({})).optional(),
    functions: z.array(z.looseObject({})).optional(),
    databases: z.array(z.looseObject({})).optional(),
    ingress: z.looseObject({}).optional(),
    egress: z.looseObject({}).optional(),
    alerts: z.array(z.looseObject({})).optional(),
    features: z.array(z.string()).optional(),
    disable_edge_cache: z.boolean().optional(),
    disable_email_obfuscation: z.boolean().optional(),
    enhanced_threat_control_enabled: z.boolean().optional(),
  })
  .refine((spec) => componentsOf(spec).length > 0, { message: "the spec has no component" })
  .refine((spec) => componentsOf(spec).every((component) => sourcesOf(component) === 1), {
    message: "a component has one source: git, github, gitlab, bitbucket or image",
  });
export type AppSpec = z.infer<typeof AppSpec>;

type Component = z.infer<typeof StaticSite> | z.infer<typeof Service>;

export function componentsOf({
  static_sites: sites = [],
  services = [],
}: {
  static_sites?: z.infer<typeof StaticSite>[] | undefined;
  services?: z.infer<typeof Service>[] | undefined;
}): Component[] {
  return [...sites, ...services];
}

function sourcesOf({ git, github, gitlab, bitbucket, image }: Component): number {
  return [git, github, gitlab, bitbucket, image].filter((source) => source !== undefined).length;
}

/** A spec as the API shows it: a secret only as something encrypted. */
export function shownSpec(spec: AppSpec): AppSpec {
  const hide = (envs: AppSpec["envs"]) =>
    envs?.map((each) => (each.type === "SECRET" ? { ...each, value: "EV[1:standin:hidden]" } : each));
  const hidden = <T extends { envs?: AppSpec["envs"] }>(component: T): T =>
    component.envs ? { ...component, envs: hide(component.envs) } : component;
  return {
    ...hidden(spec),
    ...(spec.static_sites && { static_sites: spec.static_sites.map(hidden) }),
    ...(spec.services && { services: spec.services.map(hidden) }),
  };
}
