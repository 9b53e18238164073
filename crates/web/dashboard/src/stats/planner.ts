/** What an experiment of a given size can see, before anybody is held out. */

export interface Plan {
  users: number;
  holdoutPercentage: number;
  sessionsPerUser: number;
  successRate: number;
  correlation: number;
}

export interface Forecast {
  holdoutUsers: number;
  treatmentUsers: number;
  detectableLift: number | null;
}

const Z_ALPHA = 1.959963984540054;
const Z_POWER = 0.8416212335729143;

/**
 * The smallest true lift (in percentage points) that would be found four times out of five. Sessions of one user resemble
 * each other, so n is divided by the design effect 1 + (m − 1)ρ. Null when an arm would hold fewer than two users.
 */
export function forecast(plan: Plan): Forecast {
  const holdoutUsers = Math.round((plan.users * plan.holdoutPercentage) / 100);
  const treatmentUsers = plan.users - holdoutUsers;
  if (holdoutUsers < 2 || treatmentUsers < 2) return { holdoutUsers, treatmentUsers, detectableLift: null };
  const effect = 1 + (plan.sessionsPerUser - 1) * plan.correlation;
  const effective = (users: number) => (users * plan.sessionsPerUser) / effect;
  const p = plan.successRate;
  const spread = Math.sqrt(p * (1 - p) * (1 / effective(holdoutUsers) + 1 / effective(treatmentUsers)));
  return { holdoutUsers, treatmentUsers, detectableLift: 100 * (Z_ALPHA + Z_POWER) * spread };
}
