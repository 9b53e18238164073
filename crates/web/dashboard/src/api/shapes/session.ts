/** Who is signed in, and what a refusal looks like. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: { loc: (string | number)[] | string; msg: string }[];
}

export interface WhoAmI {
  org_id: string;
  kind: string;
  permissions: string[];
  expires_at: number | null;
}
