//! Reading and writing an organization's configuration.

use std::sync::Arc;

use kernel::{OrgId, StoreError, UnitOfWork};

use crate::{Configuration, OrganizationError, OrganizationReader, OrganizationTx, Profile, PromptCatalogue};

/// Reads configurations.
#[derive(Clone)]
pub struct ReadConfiguration {
    organizations: Arc<dyn OrganizationReader>,
}

impl ReadConfiguration {
    /// Reads from these organizations.
    #[must_use]
    pub fn new(organizations: Arc<dyn OrganizationReader>) -> Self {
        Self { organizations }
    }

    /// The configuration in force: what was written, else the defaults of the organization's profile.
    pub fn read(&self, org: &OrgId) -> Result<Configuration, OrganizationError> {
        Ok(in_force(self.organizations.configuration(org)?)?.1)
    }
}

/// Writes configurations.
#[derive(Clone)]
pub struct WriteConfiguration {
    store: Arc<dyn UnitOfWork<dyn OrganizationTx>>,
    prompts: Arc<dyn PromptCatalogue>,
}

impl WriteConfiguration {
    /// Writes into this store what this binary's prompts allow.
    #[must_use]
    pub fn new(store: Arc<dyn UnitOfWork<dyn OrganizationTx>>, prompts: Arc<dyn PromptCatalogue>) -> Self {
        Self { store, prompts }
    }

    /// Writes what `change` makes of the organization's defaults and the configuration in force, in one step.
    pub fn write<E: From<OrganizationError> + From<StoreError>>(
        &self,
        org: &OrgId,
        mut change: impl FnMut(Profile, &Configuration) -> Result<Configuration, E>,
    ) -> Result<Configuration, E> {
        self.store.transact(org, |tx| {
            let (profile, current) = in_force(tx.configuration()?)?;
            let changed = change(profile, &current)?;
            changed.check(self.prompts.as_ref()).map_err(OrganizationError::from)?;
            tx.write_configuration(&changed)?;
            Ok(changed)
        })
    }
}

fn in_force(
    stored: Option<(Profile, Option<Configuration>)>,
) -> Result<(Profile, Configuration), OrganizationError> {
    // A credential opened the organization, so it exists; anything else is a hole in the store.
    let (profile, written) =
        stored.ok_or_else(|| StoreError::Corrupt("an organization is missing".to_owned()))?;
    Ok((profile, written.unwrap_or_else(|| Configuration::default_for(profile))))
}

#[cfg(test)]
mod tests {
    use kernel::RunsOnce;

    use super::*;
    use crate::ports::{MockOrganizationReader, MockOrganizationTx, MockPromptCatalogue};

    fn org() -> OrgId {
        OrgId::new("acme").unwrap()
    }

    fn writing(tx: MockOrganizationTx) -> WriteConfiguration {
        let mut prompts = MockPromptCatalogue::new();
        prompts.expect_carries().returning(|version| version == "v1.1.0");
        WriteConfiguration::new(Arc::new(RunsOnce::on(tx)), Arc::new(prompts))
    }

    #[test]
    fn an_organization_without_a_written_configuration_has_its_profiles_defaults() {
        let mut organizations = MockOrganizationReader::new();
        organizations.expect_configuration().return_const(Ok(Some((Profile::Embedded, None))));

        let configuration = ReadConfiguration::new(Arc::new(organizations)).read(&org()).unwrap();

        assert!((configuration.sampling_rate - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_change_is_made_to_the_configuration_in_force() {
        let mut tx = MockOrganizationTx::new();
        let written =
            Configuration { eval_concurrency_limit: 3, ..Configuration::default_for(Profile::Standard) };
        tx.expect_configuration().return_const(Ok(Some((Profile::Standard, Some(written)))));
        tx.expect_write_configuration().times(1).return_const(Ok(()));

        let changed: Result<_, OrganizationError> = writing(tx)
            .write(&org(), |_, current| Ok(Configuration { shadow_mode_enabled: true, ..current.clone() }));

        let changed = changed.unwrap();
        assert_eq!((changed.eval_concurrency_limit, changed.shadow_mode_enabled), (3, true));
    }

    #[test]
    fn a_prompt_version_that_the_binary_does_not_carry_is_not_written() {
        let mut tx = MockOrganizationTx::new();
        tx.expect_configuration().return_const(Ok(Some((Profile::Standard, None))));
        tx.expect_write_configuration().never();

        let refused: Result<_, OrganizationError> = writing(tx).write(&org(), |_, current| {
            Ok(Configuration { shadow_comparison_judge_prompt_version: "v9".to_owned(), ..current.clone() })
        });

        assert!(matches!(refused, Err(OrganizationError::InvalidSetting(_))));
    }
}
